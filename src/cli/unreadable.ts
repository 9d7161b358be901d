/** What to say where a file that was named could not be read. */
export const unreadable = (file: string, cause: unknown): Error => {
  const { code } = cause as NodeJS.ErrnoException;
  return new Error(`${file} cannot be read (${code}); check its name and its permissions`, { cause });
};
