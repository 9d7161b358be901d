/** Whether a text can be sent back to the server of a feed as its `ETag` or `Last-Modified`. */
export const isValidator = (text: string): boolean => /^[\x20-\x7e]{1,1000}$/.test(text);
