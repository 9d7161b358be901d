/** Why an address is no feed that can be used. */
export function explainRefusal(address: string): string {
  if (address === '') return 'there is no address';
  if (!/^https?:\/\//i.test(address)) return 'a feed address begins with http:// or https://';
  if (/\p{Cc}/u.test(address)) return 'there is a control character in it';
  return 'its host or its port is not valid, or it is too long';
}
