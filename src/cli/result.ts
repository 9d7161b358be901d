/** What a command comes to, on stdout: one line of JSON for scripts, else text for people. */
export function printResult(result: unknown, json: boolean | undefined, toText: () => string): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : toText());
}
