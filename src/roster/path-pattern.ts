/**
 * Says why a text is no pattern of paths: completes the sentence "The path … …". `undefined` where it is one. Patterns
 * are relative and written with `/`; `*` is any part of one name, `**` as a whole name any number of directories.
 */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.startsWith("/")) return "starts with `/`: write it as it is seen from the settings' directory";
  if (/[\\?[\]{}!]/u.test(pattern))
    return "holds a character that means nothing there: only `*` and `**` stand for something";
  const names = patternNames(pattern);
  if (names.length === 0 || names.some((name) => ["", ".", ".."].includes(name))) {
    return "has a part that is empty, `.` or `..`";
  }
  if (names.some((name) => name !== "**" && name.includes("**")))
    return "has `**` as a part of a name: it stands alone between `/`";
  return undefined;
}

/** Whether a pattern that is one fits a path. Without `*` in its last name it fits a file, and all that is below a directory. */
export function matchesPattern(pattern: string, path: string): boolean {
  const names = patternNames(pattern);
  const last = names.at(-1) ?? "";
  const body = names.slice(0, -1).map((name) => (name === "**" ? "(?:[^/]+/)*" : `${namePattern(name)}/`));
  const end = last === "**" ? ".+" : last.includes("*") ? namePattern(last) : `${namePattern(last)}(?:/.+)?`;
  return new RegExp(`^${body.join("")}${end}$`, "su").test(path);
}

/** A trailing `/` only says that a directory is meant. */
function patternNames(pattern: string): readonly string[] {
  return pattern.replace(/(?<=.)\/$/u, "").split("/");
}

function namePattern(name: string): string {
  return name
    .split("*")
    .map((text) => text.replace(/[.+^$()|]/gu, "\\$&"))
    .join("[^/]*");
}
