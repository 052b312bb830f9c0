/** The two forms of URI that chat data asks for, told apart by pattern so that no runtime's parser matters. */

const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}]+$/u;
const withHost =
  /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^\s\p{Cc}/?#@]*@)?(?:\[[0-9A-Fa-f:.%]+\]|[^\s\p{Cc}/?#@:[\]]+)(?::\d*)?(?:[/?#][^\s\p{Cc}]*)?$/u;

/** A scheme followed by something: `https://…`, `data:…` and `file:…` all pass. */
export function isAbsoluteUri(text: string): boolean {
  return absolute.test(text) && text.isWellFormed();
}

/** Whether a text is a URI with both a scheme and a host, which `mailto:` and `file:///x` lack. */
export function isUriWithHost(text: string): boolean {
  return withHost.test(text) && text.isWellFormed();
}
