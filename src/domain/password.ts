/** Fewer characters than this are guessed too soon. */
export const MIN_PASSWORD = 8;

export const isShortPassword = (password: string): boolean => [...password].length < MIN_PASSWORD;
