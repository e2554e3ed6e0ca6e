/** Words and shapes that no text for people has. */
const banned: readonly RegExp[] = [
  /\bwhom\b/iu,
  /\bwhoever\b/iu,
  /\bbeside\b/iu,
  /\btherein\b/iu,
  /\b(?:told|tells?)\b/iu,
  /\basked for\b/iu,
  /\bwished for\b/iu,
  /\b(?:someone(?!-)|somebody|anybody|everybody)\b/iu,
  /\bnobody's\b/iu,
  /\b(?:comes?|came) into being\b/iu,
  /\b\w+['’]s word\b/iu,
  /\bof these\b/iu,
  /\b(?:there|that|which|this) (?:is|are) none\b/iu,
  /\bis none of\b/iu,
  /\bit is (?:not |also |only )?(?!a\b|an\b|the\b)\w+ that\b/iu,
  /\bsay (?:`?--|so\b)/iu,
  /\bsettl(?:e|es|ed|ing)\b/iu,
  /\bno call (?:can|could)\b/iu,
];

const mostWords = 20;

/** What is hard to read in a text: each banned word, and each sentence that is too long. */
export function hardToRead(text: string): readonly string[] {
  const prose = oneLine(text);
  const long = sentences(prose).filter((sentence) => countWords(sentence) > mostWords);
  return [...bannedWords(text), ...long.map((sentence) => `${countWords(sentence)} words: ${sentence}`)];
}

export function bannedWords(text: string): readonly string[] {
  const prose = oneLine(text);
  return banned.flatMap((shape) => {
    const found = shape.exec(withoutCode(prose));
    return found === null ? [] : [`“${found[0]}” in: ${prose}`];
  });
}

export function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** A stop inside of a name, a file or a number ends no sentence. */
function sentences(prose: string): readonly string[] {
  return prose.split(/(?<=[.!?…][)"'`”]?) (?=\S)/u);
}

/** A piece of code, and a list of such pieces, count as one word. */
function countWords(sentence: string): number {
  return withoutCode(sentence)
    .split(/\s+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function withoutCode(prose: string): string {
  return prose.replace(/`[^`]*`(?:, `[^`]*`)*/gu, "CODE");
}
