import { isRead, type Played, type Step } from "./play.ts";
import { inWordsOfToday } from "./reasons.ts";
import { inShapeOfToday } from "./shapes.ts";

/** One way in which two builds differ at a step; `old` and `now` show it. */
export interface Difference {
  readonly kind: string;
  readonly old: string;
  readonly now: string;
}

interface Finding {
  readonly code: string;
  readonly subject: string;
  readonly blocking: boolean;
  readonly message: string;
}

interface Action {
  readonly id: string;
  readonly kind: string;
}

interface Document {
  readonly actions?: readonly Action[];
  readonly findings?: readonly Finding[];
  readonly [part: string]: unknown;
}

/** What is compared as a part of its own, and what no two builds have in common: digests of what each says of a call. */
const apart = new Set(["plan_id", "fingerprint", "request", "exit_code", "excerpt"]);

/** Every difference of a step. The names that a service gave are told by what they name, so that an order of creations is none. */
export function differencesAt(index: number, old: Played, now: Played): readonly Difference[] {
  const [before, after] = [old.steps[index], now.steps[index]];
  if (before === undefined || after === undefined) return [differ("commands", old.steps.length, now.steps.length)];
  if (!differs(before, after)) return [];
  const [one, other] = [readable(before, old.names, inWordsOfToday), readable(after, now.names)];
  const [documentOf, otherDocument] = [
    inShapeOfToday(one.document as Document) as Document,
    other.document as Document,
  ];
  const all = [
    ...(one.code === other.code
      ? []
      : [differ(`exit code ${one.code}, now ${other.code}`, one.document, other.document)]),
    ...callsApart(one, other),
    ...actionsApart(documentOf, otherDocument),
    ...findingsApart(documentOf.findings ?? [], otherDocument.findings ?? [], "finding"),
    ...partsApart(withoutApart(documentOf), withoutApart(otherDocument), "document"),
  ];
  return all.map((difference) => ({ ...difference, kind: `${before.command}: ${difference.kind}` }));
}

function differ(kind: string, old: unknown, now: unknown): Difference {
  const shown = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"));
  return { kind, old: shown(old), now: shown(now) };
}

/** Moments and digests are masked. */
function readable(step: Step, names: Played["names"], inWords = (text: string) => text): Step {
  const tokens = [...names.keys()]
    .sort((one, other) => other.length - one.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&"));
  const named = new RegExp(`(?<![\\w-])(?:${tokens.join("|")})(?![\\w-])`, "gu");
  const told = (text: string) =>
    text
      .replaceAll(named, (name) => names.get(name) ?? name)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME")
      .replaceAll(/(?<![\w-])[0-9a-f]{8,64}(?![\w-])/gu, "DIGEST")
      .replaceAll(/--allow [^\s`"]+(?: --allow [^\s`"]+)*/gu, "--allow CODE")
      // A hint was a flag, and is a whole command.
      .replaceAll(/`roster apply [^`]*(--allow CODE)[^`]*`/gu, "`$1`");
  return {
    ...step,
    // A number may look like a name, and stays one.
    document: JSON.parse(inWords(JSON.stringify(step.document)), (_, value) =>
      typeof value === "string" ? told(value) : value,
    ),
    calls: step.calls.map((call) => told(decoded(call))),
  };
}

function decoded(call: string): string {
  const [method = "", path = "", ...body] = call.split(" ");
  return [method, decodeURIComponent(path), ...body].join(" ");
}

/**
 * Writes are compared with their bodies, and in their order where one is sent after the other; reads by how many there are. A replacement
 * of roles counts once: it is sent again while the service does not know a new key, which takes as long as other calls let it.
 */
function callsApart(old: Step, now: Step): readonly Difference[] {
  const route = (call: string) =>
    call
      .replace(/\?.*/u, "")
      .replace(/^(\S+ \S*?\/(?:accounts|teams|access-keys)\/).*(\/\w+) .*$/u, "$1…$2")
      .split(" ")
      .slice(0, 2)
      .join(" ");
  const [writes, writesNow] = [old, now].map(({ calls }) => calls.filter((call) => !isRead(call)));
  const [reads, readsNow] = [old, now].map(({ calls }) => calls.filter(isRead).map(route));
  const once = (calls: readonly string[] = []) =>
    calls.filter((call, index) => !call.startsWith("PUT ") || calls.indexOf(call) === index);
  const only = writesApart(once(writes), once(writesNow), route);
  const routes = new Set([...(reads ?? []), ...(readsNow ?? [])]);
  const count = (list: readonly string[] = [], one: string) => list.filter((read) => read === one).length;
  return [
    ...only,
    ...(only.length === 0 && old.isInOrder && once(writes).join() !== once(writesNow).join()
      ? [differ("order of writes", writes, writesNow)]
      : []),
    ...[...routes].flatMap((one) => {
      const [before, after] = [count(reads, one), count(readsNow, one)];
      return before === after
        ? []
        : [differ(`${after < before ? "fewer" : "more"} reads ${one}`, old.calls, now.calls)];
    }),
  ];
}

/** Those of each side that the other lacks, by route. The same write may name somebody by the address or by the identifier. */
function writesApart(
  old: readonly string[],
  now: readonly string[],
  route: (one: string) => string,
): readonly Difference[] {
  const kept = [...now];
  const taken = (wanted: string, nameOf: (call: string) => string) => {
    const index = kept.findIndex((one) => nameOf(one) === nameOf(wanted));
    return index < 0 ? undefined : kept.splice(index, 1)[0];
  };
  const unlike = old.filter((one) => taken(one, (call) => call) === undefined);
  const pairs = unlike.map((one) => [one, taken(one, byAddress)] as const);
  const gone = pairs.filter(([, other]) => other === undefined).map(([one]) => one);
  return [
    ...pairs.flatMap(([one, other]) =>
      other === undefined ? [] : [differ(`write ${route(one)} by another name`, one, other)],
    ),
    ...gone.map((one) => differ(`write ${route(one)}${againIn(old, one)} only there`, one, kept)),
    ...kept.map((one) => differ(`write ${route(one)}${againIn(now, one)} only now`, gone, one)),
  ];
}

function byAddress(call: string): string {
  return call.replaceAll(/user\(([^)]*)\)/gu, "$1");
}

/** Where an addition of several is refused, they are sent alone. */
function againIn(calls: readonly string[], call: string): " again" | "" {
  const [person, another] = addedBy(call);
  if (person === undefined || another !== undefined) return "";
  const team = call.split("[", 1)[0] ?? "";
  const isAgain = calls.some((other) => {
    const people = other.startsWith(team) ? addedBy(other) : [];
    return people.length > 1 && people.includes(person);
  });
  return isAgain ? " again" : "";
}

function addedBy(call: string): readonly string[] {
  if (!/^POST \S+\/teams\/.*\/members \[/u.test(call)) return [];
  return [...byAddress(call).matchAll(/"identifier":"([^"]*)"/gu)].map(([, address = ""]) => address);
}

/** An action is the same where its id is. */
function actionsApart({ actions: old = [] }: Document, { actions: now = [] }: Document): readonly Difference[] {
  const others = new Map(now.map((action) => [action.id, action]));
  const ids = new Set(old.map(({ id }) => id));
  return [
    ...old.flatMap((action): readonly Difference[] => {
      const other = others.get(action.id);
      if (other === undefined) return [differ(`action ${action.kind} only there`, action, "")];
      return partsApart(action, other, `action ${action.kind}`);
    }),
    ...now.filter(({ id }) => !ids.has(id)).map((action) => differ(`action ${action.kind} only now`, "", action)),
    ...(differs(
      old.map(({ id }) => id),
      now.map(({ id }) => id),
    )
      ? [differ("order of actions", old, now)]
      : []),
  ];
}

/** A finding is the same where its code and subject are, or else its subject and whether it blocks. */
function findingsApart(old: readonly Finding[], now: readonly Finding[], path: string): readonly Difference[] {
  const left = [...now];
  const take = (is: (finding: Finding) => boolean) => {
    const index = left.findIndex(is);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const same = old.map(
    (one) => [one, take(({ code, subject }) => code === one.code && subject === one.subject)] as const,
  );
  const pairs = same.map(
    ([one, other]) =>
      [one, other ?? take(({ subject, blocking }) => subject === one.subject && blocking === one.blocking)] as const,
  );
  const words = ({ code, blocking }: Finding) => `${path} ${code}${blocking ? " (blocking)" : ""}`;
  return [
    ...pairs.flatMap(([one, other]): readonly Difference[] => {
      if (other === undefined) return [differ(`${words(one)} only there`, one, left)];
      if (one.code !== other.code) return [differ(`code ${one.code}, now ${other.code}`, one, other)];
      return partsApart(one, other, `${path} ${one.code}`);
    }),
    ...left.map((one) => differ(`${words(one)} only now`, old, one)),
  ];
}

/** The other parts of a document, by where they differ. */
function partsApart(old: unknown, now: unknown, path: string): readonly Difference[] {
  if (!differs(old, now)) return [];
  if (path.endsWith(".message") && sentences(old) === sentences(now)) return [];
  if (path.endsWith(".code")) return [differ(`code ${old}, now ${now}`, old, now)];
  if (!isObject(old) || !isObject(now) || Array.isArray(old) !== Array.isArray(now)) return [differ(path, old, now)];
  if (areFindings(old) && areFindings(now)) return findingsApart(old, now, path);
  if (Array.isArray(old) && Array.isArray(now) && old.length !== now.length) return [differ(`${path}[]`, old, now)];
  const [one, other] = [sorted(old, path), sorted(now, path)];
  const fields = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((field) => !apart.has(field));
  return fields.flatMap((field) => partsApart(one[field], other[field], `${path}.${Array.isArray(old) ? "*" : field}`));
}

/** What a message says, in whatever order; one sentence may have become two. */
function sentences(message: unknown): string {
  return String(message)
    .replaceAll(", so ", ". So ")
    .split(/(?<=[.:]) /u)
    .sort()
    .join(" ");
}

/** Outcomes, keys and remarks stand in the order in which answers came, users in that of the actions that name them. */
function sorted(value: object, path: string): Readonly<Record<string, unknown>> {
  const keyOf = (one: unknown) => {
    if (isObject(one)) return `${one["action"]} ${one["prefix"]} ${one["address"]}`;
    return path.endsWith(".remarks") ? String(one) : "";
  };
  return Object.fromEntries(
    Object.entries(
      Array.isArray(value) ? value.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other))) : value,
    ),
  );
}

function withoutApart({ actions, findings, ...rest }: Document): object {
  return rest;
}

function differs(old: unknown, now: unknown): boolean {
  return JSON.stringify(old) !== JSON.stringify(now);
}

function areFindings(value: unknown): value is readonly Finding[] {
  return Array.isArray(value) && value.every((one) => isObject(one) && "code" in one && "subject" in one);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
