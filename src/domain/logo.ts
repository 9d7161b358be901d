import { hash } from 'node:crypto';

/** Identifies a logo in requests, so that clients cannot make the server fetch any URL: SHA-256 of its URL, in hex. */
export const logoHash = (logoUrl: string): string => hash('sha256', logoUrl);

/** The hash of podcasts without a logo. */
export const NO_LOGO = logoHash('');
