const picture = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{FE0F})?`;
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]`;

/** A joined emoji, which keeps its joiners, or one character that a terminal obeys, hides or reorders. */
const emojiOrHidden = new RegExp(String.raw`${picture}(?:\u{200D}${picture})*|(${hidden})`, "gu");
const hiddenInJson = /[\u{7F}-\u{9F}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu;

/**
 * Makes a text from outside safe to show: controls, line breaks, bidirectional and invisible characters and
 * lone surrogates become visible escapes such as `\u{1b}`. Doing it twice changes nothing.
 */
export function safe(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return text.replace(emojiOrHidden, (match: string, unsafe: string | undefined) =>
    unsafe === undefined ? match : visible(unsafe),
  );
}

/** Escapes, in a JSON text, whatever a terminal would obey, hide or reorder. The JSON means the same. */
export function safeJson(json: string): string {
  return json.replace(hiddenInJson, (character) => character.split("").map(jsonEscape).join(""));
}

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
