/**
 * Addresses that a page may link to: those of the web. Others, such as `javascript:`, would run where a person follows them.
 *
 * Keeps RP2.
 */

/** True for an address of the web. */
export const isWebUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);
