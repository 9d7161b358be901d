# podsync in a container:
#
#   docker build -t podsync .
#   docker run -d --name podsync -p 3000:3000 -v podsync:/data podsync
#   docker exec -it podsync podsync user add alice

# Only this stage runs commands. It does so on the machine that builds, so an image for another platform needs no emulator.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json rolldown.config.mjs tsconfig.json tsconfig.build.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY bin bin
COPY src src
COPY plugins plugins
RUN npm run build && mkdir -p /image/app && cp dist/podsync.mjs dist/podsync-licences.txt /image/app/

# sharp is native code, which the bundle cannot contain. SQLite is a part of Node.
ARG TARGETARCH
RUN npm install --prefix /image/app --no-save --no-audit --no-fund \
      --os=linux --libc=glibc --cpu="$(node -p "'$TARGETARCH'.replace('amd64', 'x64') || process.arch")" \
      "sharp@$(node -p "require('./package.json').optionalDependencies.sharp")"
RUN mkdir -m 700 /image/data && mkdir /image/bin && ln -s /app/podsync.mjs /image/bin/podsync

FROM node:24-slim
COPY --from=build /image/app /app
COPY --from=build /image/bin /usr/local/bin
COPY --from=build --chown=1000:1000 /image/data /data
ENV NODE_ENV=production PODSYNC_DATA=/data PODSYNC_HOST=0.0.0.0
# The user `node`, as a number because Kubernetes wants one to know that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
# The certificate is not valid for 127.0.0.1.
HEALTHCHECK --start-period=1m CMD ["node", "-e", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = 0; fetch(`http${process.env.PODSYNC_TLS_CERT ? 's' : ''}://127.0.0.1:${process.env.PODSYNC_PORT ?? 3000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
ENTRYPOINT ["podsync"]
CMD ["serve"]
