/** Characters. Shorter passwords are too easy to guess. */
export const MIN_PASSWORD = 8;

export const isShortPassword = (password: string): boolean => [...password].length < MIN_PASSWORD;
