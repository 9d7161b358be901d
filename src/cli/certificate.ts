import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { unreadable } from './unreadable.ts';

/** Paths of PEM files. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

/** Rejects with what is wrong, if the files cannot be read or do not belong together. */
export async function checkCertificate(files: CertificateFiles): Promise<void> {
  const cert = await readPem('--tls-cert', files.cert);
  const key = await readPem('--tls-key', files.key);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new Error(
      `${files.cert} and ${files.key} are not a certificate and its key: both must be PEM, without a pass phrase`,
      { cause: error },
    );
  }
}

async function readPem(option: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw unreadable(`the file of ${option}, ${path},`, error);
  }
}
