/**
 * One code with its texts. A message has a line that says what is the case, then one that says what a person can do; after an empty line comes YAML to
 * paste. A command prints both lines as one.
 *
 * In a message, `<email>` is a part of it: a text, a number, or a list, which is written as `a, b and c`. `<emails:10>` names the first ten of a list,
 * `<count:user>` is `1 user` or `3 users`, `<count:is|are>` one of two words. In YAML a part is written as a value, `<key:raw>` as it is.
 * What stands in `[[ ]]` is left out where a part of it is missing. `{run}` is the place of the command by which a person allows it.
 */
export type CodeRow = ReturnType<ReturnType<typeof rowOf>>;

/** `task`: what the roster asks for is not in place, or somebody holds access that it denies. `notice`: something to know. */
export type FindingKind = "task" | "notice";

export const task = rowOf("task");
export const taskOrNotice = rowOf("task", "notice");
export const notice = rowOf("notice");
export const noticeOrTask = rowOf("notice", "task");

/**
 * `about`: the title, in a few words without a stop; on further lines the rule and what a person can do, where the messages do not say it;
 * after an empty line, lines to paste, where that is not the YAML of the message. `orElse`: a finding of this code can be of this kind too.
 */
function rowOf<const K extends FindingKind | undefined>(kind: K, orElse?: FindingKind) {
  return <const S extends string | Readonly<Record<string, string>>>(about: string, says: S) => {
    const [text = "", example] = about.split("\n\n");
    const [title = "", rule, next] = text.split("\n");
    return { kind, orElse, title, rule, next, example, says } as const;
  };
}

/** Of a code that is no finding. */
export const row = (about: string): CodeRow => rowOf(undefined)(about, "");
