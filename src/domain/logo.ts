import { hash } from 'node:crypto';

/** What a logo is asked for by, so that nobody can have others fetched: the SHA-256 of its URL, in hex. */
export const logoHash = (logoUrl: string): string => hash('sha256', logoUrl);

/** Stands for podcasts without a logo. */
export const NO_LOGO = logoHash('');
