const picture = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{FE0F})?`;
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]`;

/** A joined emoji, which keeps its joiners, or one character that a terminal obeys, hides or reorders. */
const emojiOrHidden = new RegExp(String.raw`${picture}(?:\u{200D}${picture})*|(${hidden})`, "gu");
const hiddenInJson = /[\u{7F}-\u{9F}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu;

/**
 * What runners of pipelines obey in the output of a step: `##[…]`, `##vso[…]` and the like anywhere in a line, and
 * `::name::` at its start, where a line may be broken before it.
 */
const commandsOfRunners = /#(?=#[a-z]*\[)|(?<=^|\s):(?=:[a-z])/giu;
const commandsInJson = /#(?=#[a-z]*\[)/giu;

/**
 * Makes a text from outside safe to show: controls, line breaks, bidirectional and invisible characters, lone
 * surrogates and the beginnings of a pipeline's own commands become visible escapes such as `\u{1b}`. Doing it twice changes nothing.
 */
export function safe(text: string): string {
  const harmless = text.replace(commandsOfRunners, visible);
  if (/^[ -~]*$/.test(harmless)) return harmless;
  return harmless.replace(emojiOrHidden, (match: string, unsafe: string | undefined) =>
    unsafe === undefined ? match : visible(unsafe),
  );
}

/** Escapes, in a JSON text, whatever a terminal or a pipeline would obey, hide or reorder. The JSON means the same. */
export function safeJson(json: string): string {
  const harmless = json.replace(commandsInJson, jsonEscape);
  return harmless.replace(hiddenInJson, (character) => character.split("").map(jsonEscape).join(""));
}

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
