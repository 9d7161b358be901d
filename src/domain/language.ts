/** Whether a text is a language tag in lower case, such as `en-us`. */
export const isLanguageTag = (text: string): boolean => /^[a-z]{2,3}(?:-[a-z\d]{1,8}){0,5}$/.test(text);
