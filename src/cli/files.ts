/** The error for a file named by the user that could not be read. */
export function cannotRead(file: string, cause: unknown): Error {
  const { code } = cause as NodeJS.ErrnoException;
  return new Error(`${file} cannot be read (${code}); check its name and its permissions`, { cause });
}
