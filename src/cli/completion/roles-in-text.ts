/** The roles that a text of roster files names, told by the lines on which lists of roles stand; also where it is no YAML at this moment. */
export function rolesInText(text: string): ReadonlySet<string> {
  const roles = new Set<string>();
  let place: Place = { isInSets: false, list: "none" };
  for (const line of text.split("\n")) {
    const read = readLine(line.replace(/(?:^|\s)#.*$/u, ""), place);
    for (const role of read.roles) roles.add(role);
    place = read.place;
  }
  return roles;
}

interface Place {
  /** Below `roleSets:`, where every list is one of roles. */
  readonly isInSets: boolean;
  /** A list that goes on from the line before: in brackets, or an item a line. */
  readonly list: "none" | "brackets" | "items";
}

interface ReadLine {
  readonly roles: readonly string[];
  readonly place: Place;
}

function readLine(line: string, before: Place): ReadLine {
  if (line.trim() === "") return { roles: [], place: before };
  const isInSets = /^\S/u.test(line) ? /^["']?roleSets["']?:/u.test(line) : before.isInSets;
  if (before.list === "brackets") return inBrackets(line, isInSets);
  if (before.list === "items" && /^\s*\[/u.test(line)) return inBrackets(line.replace("[", ""), isInSets);
  const item = /^\s*- +([^\s{[].*)$/u.exec(line);
  if (before.list === "items" && item !== null && !/:(?:\s|$)/u.test(line)) {
    return { roles: wordsOf(item[1] ?? ""), place: { isInSets, list: "items" } };
  }
  if (before.list === "items" && /^\s*- +\{ *set:/u.test(line))
    return { roles: [], place: { isInSets, list: "items" } };
  return listBegun(line, isInSets);
}

function listBegun(line: string, isInSets: boolean): ReadLine {
  const begins = isInSets ? /[\w"'.-]+: *(\[|$)/gu : /(?<![\w-])["']?(?:roles|ownKeyRoles)["']?: *(\[|$)/gu;
  const roles: string[] = [];
  let list: Place["list"] = "none";
  for (const found of line.matchAll(begins)) {
    if (found[1] === "") list = "items";
    else {
      const read = inBrackets(line.slice(found.index + found[0].length), isInSets);
      roles.push(...read.roles);
      list = read.place.list;
    }
  }
  return { roles, place: { isInSets, list } };
}

function inBrackets(text: string, isInSets: boolean): ReadLine {
  const [inside = "", end] = text.replace(/\{[^}]*\}?/gu, "").split(/(\])/u);
  return { roles: wordsOf(inside), place: { isInSets, list: end === undefined ? "brackets" : "none" } };
}

function wordsOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim().replace(/^(["'])(.*)\1$/u, "$2"))
    .filter((word) => /^[\p{L}\p{N}_][^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"'\\{}[\]]{0,199}$/u.test(word));
}
