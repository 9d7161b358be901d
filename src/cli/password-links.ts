import type { Config } from '../config.ts';
import { isLoopback } from '../domain/loopback.ts';
import type { PasswordLink } from '../routes/operator/password-links.ts';
import { commandLine, quote } from './invocation.ts';
import { accountPath, sendOnce, withOperator, send } from './operator.ts';
import { messages, printSecret } from './output.ts';
import { reachableUrls } from './server/address.ts';

/** `user invite`: without a name, the person chooses one. */
export async function inviteUser(
  config: Config,
  name: string | undefined,
  { email }: { email?: string },
): Promise<void> {
  const account = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
  const invitation = withOperator(config, (operator) => send(operator, 'POST', '/operator/invitations', account), {
    mayBeNew: true,
  });
  const link = (await invitation) as PasswordLink;
  messages.success(
    name === undefined
      ? 'Account created. Send this link to the person, who chooses a name and a password with it:'
      : `Account ${name} created. Send this link to the person, who chooses a password with it:`,
  );
  await printLink(link, config);
}

/** `user reset`. */
export async function resetPassword(config: Config, user: string): Promise<void> {
  const link = (await sendOnce(config, 'POST', accountPath(user, '/reset'))) as PasswordLink;
  messages.success(
    `Send this link to ${link.name}, who chooses a new password with it. Until then, the old one still works, if there is one:`,
  );
  await printLink(link, config);
}

/** Prints only the link to stdout, for scripts. */
async function printLink({ name, base, path }: PasswordLink, config: Config): Promise<void> {
  const address = config.baseUrl ?? base;
  const assumed = reachableUrls(config)[0]!;
  const another = `print another one with: ${commandLine(`user reset ${quote(name)}`, config)}`;
  await printSecret(`${address ?? assumed}${path}`, 'the link', another);
  messages.info('It works once, for 24 hours');
  if (!address) {
    messages.warn(`No server is running. If its address will not be ${assumed}, ${another} --base-url ADDRESS`);
  } else if (isLoopback(new URL(address).hostname)) {
    messages.warn(`It works only on this machine. For a person elsewhere, ${another} --base-url ADDRESS`);
  }
}
