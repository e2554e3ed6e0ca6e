import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Intent, OpenIntent } from "../../src/model/call.ts";
import { formatSubject, observed, type Reason } from "../../src/model/fact.ts";
import type { Finding } from "../../src/model/finding.ts";
import { isObject } from "../../src/model/json.ts";
import type { SeenKey } from "../../src/model/key.ts";
import type { GuardSettings } from "../../src/model/policy.ts";
import type { Snapshot, UserListStatus } from "../../src/model/snapshot.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import { creationIntent, openIntent, rolesIntent } from "./event-builders.ts";
import { aPolicy, type InputParts, planned, selector, unguarded } from "./plan-inputs.ts";
import { outcome } from "./plan-words.ts";
import {
  addressOf,
  aKey,
  aLeaver,
  aRoster,
  aTeam,
  aUser,
  emailOf,
  firstNameOf,
  type LeaverWish,
  type TeamWish,
  type UserWish,
} from "./roster-builders.ts";
import { snapshotOf } from "./simulated-snapshot.ts";
import { aWorld, type World, type WorldKey, type WorldUser } from "./simulated-world.ts";
import { recordedAt, remembering } from "./state-builders.ts";
import type { Hidden } from "./visibility.ts";

type Named<T> = Readonly<Record<string, T | null>>;

/** Somebody whom the service has: u-ada, with the own key k-ada, and k-ada-data in the team Data. */
interface Person extends Partial<Omit<WorldUser, "keys">> {
  /** The roles of the own key, [TEAM_ROLE] by default. `hidden`: this person's keys are not shown. */
  readonly own?: readonly string[] | "none" | "hidden";
  /** The roles of the key in each of their teams. */
  readonly in?: Named<readonly string[]>;
  /** Other keys by their prefixes; a team key names its team. */
  readonly keys?: Named<Partial<WorldKey>>;
  readonly keyStatus?: string;
}

/** What a scene says of the service, the roster, the state and the run. What it does not say is the same in all of its scenes. */
interface Written {
  readonly there?: Named<Person>;
  /** Teams of the service, which are t-data and the like where nothing is said of them. */
  readonly shown?: Named<{ readonly name?: string; readonly identifier?: string; readonly account?: string }>;
  readonly accounts?: Named<string>;
  /** Roles; `none` where its list of them is empty. */
  readonly offers?: readonly string[] | "none";
  readonly hides?: readonly Hidden[];
  readonly everyone?: UserListStatus;
  /** Who alone is found by searches, or shown by the list of users; whom searches show beside them. */
  readonly finds?: readonly string[];
  readonly lists?: readonly string[];
  readonly strangers?: readonly string[];
  readonly unproven?: Named<string>;
  readonly users?: Named<UserWish>;
  readonly leavers?: Named<LeaverWish>;
  readonly teams?: Named<TeamWish>;
  readonly keys?: Readonly<Record<string, Parameters<typeof aKey>[1]>>;
  readonly state?: Parameters<typeof remembering>[0];
  readonly seenKeys?: Readonly<Record<string, SeenKey>>;
  readonly applied?: readonly string[];
  /** Calls whose outcome nobody knows, such as `create ada`, `create ada creating Data`, `add ada+bo to Data as t-1`, `set k to A`; when, and whether `undated` or `accepted`. */
  readonly open?: Named<string>;
  readonly allows?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly guards?: Partial<GuardSettings>;
  readonly privileged?: readonly string[];
  readonly reportUnmanaged?: boolean;
  readonly today?: string;
  readonly consistency?: number;
  readonly keyInUse?: string;
}

const service = "there shown accounts offers hides everyone finds lists strangers unproven";
const rest = "users leavers teams keys state seenKeys applied open allows include exclude guards privileged";
const fields = new Set(`${service} ${rest} reportUnmanaged today consistency keyInUse`.split(" "));

/** `reads`: what a read of the service meets. */
export type Parts = InputParts & {
  readonly snapshot: Snapshot;
  readonly reads: Pick<Written, "hides" | "finds" | "lists" | "strangers"> & { readonly world: World };
};

/**
 * Tests a text of scenes. A line at the margin is the title of one. Below it is YAML, on top of what stands before the first
 * title, where `gone` takes something out. A line with `>` is expected, with those that are indented further.
 */
export function play(what: string, linesOf: (parts: Parts) => readonly string[] | Promise<readonly string[]>) {
  return ([text = ""]: TemplateStringsArray): void => {
    const [common = "", ...blocks] = text.split(/\n(?=\S)/u);
    for (const block of blocks) {
      const [title = "", ...lines] = block.split("\n");
      const start = [...lines, "  > "].findIndex((line) => line.startsWith("  > "));
      const [, ...expected] = lines
        .slice(start)
        .join("\n")
        .split(/^ {2}> /mu);
      test(`${what} ${title}`, async () => {
        expect(await linesOf(partsOf(common, lines.slice(0, start).join("\n")))).toEqual(
          expected.map((line) => line.trim().replace(/\n\s+/gu, " ")),
        );
      });
    }
  };
}

export function partsOf(...texts: readonly string[]): Parts {
  const written: Written = texts.map((text) => parse(text.replaceAll("RECORDED", recordedAt)) ?? {}).reduce(onTop, {});
  const unknown = Object.keys(written).filter((field) => !fields.has(field));
  if (unknown.length > 0) throw new Error(`A scene says nothing by ${unknown.join()}.`);
  const {
    allows,
    applied,
    seenKeys,
    open,
    consistency,
    keyInUse,
    include = [],
    exclude = [],
    guards,
    today,
    privileged,
    reportUnmanaged = false,
  } = written;
  const roster = aRoster({
    users: all(written.users, aUser),
    leavers: all(written.leavers, aLeaver),
    teams: all(written.teams, aTeam),
    keys: Object.entries(written.keys ?? {}).map(([prefix, wish]) => aKey(prefix, wish)),
  });
  return {
    roster,
    reads: { ...written, world: worldOf(written) },
    snapshot: shown(written, roster),
    state: remembering({
      ...written.state,
      ...(seenKeys && { seenKeys: new Map(Object.entries(seenKeys)) }),
      ...(applied && { applied: { at: recordedAt, digest: "d", people: people(applied) } }),
      ...(open && { open: Object.entries(open).map(openCall) }),
    }),
    policy: aPolicy({
      include: include.map(selector),
      exclude: exclude.map(selector),
      reportUnmanaged,
      guards: { ...unguarded, ...guards },
      ...(privileged && { privilegedRoles: privileged }),
      ...(today && { today }),
      ...(consistency && { consistency }),
    }),
    ...(allows && { allows }),
    ...(keyInUse && { keyInUse }),
  };
}

function people(names: readonly string[]) {
  return new Map(names.map((name) => [addressOf(name), { address: addressOf(name), email: emailOf(name) }]));
}

function onTop(below: unknown, above: unknown): Readonly<Record<string, unknown>> {
  const [under, over] = [below, above].map((one) => (isObject(one) ? one : {}));
  const merged = { ...under };
  for (const [key, value] of Object.entries(over ?? {}))
    if (value === "gone") Reflect.deleteProperty(merged, key);
    else merged[key] = isObject(value) || (value === null && isObject(merged[key])) ? onTop(merged[key], value) : value;
  return merged;
}

function all<T, R>(named: Named<T> | undefined, make: (name: string, wish: T | Record<string, never>) => R) {
  return Object.entries(named ?? {}).map(([name, wish]) => make(name, wish ?? {}));
}

function worldOf({ there = {}, shown = {}, accounts = {}, offers }: Written): World {
  const world = aWorld(offers === undefined || offers === "none" ? {} : { roles: offers });
  const teamCalled = (label: string) => {
    const { name = label, identifier = `t-${label.toLowerCase()}`, account = "acc-1" } = shown[label] ?? {};
    world.teams.set(identifier, { identifier, name, account, admin: "somebody" });
    return identifier;
  };
  for (const [identifier, status] of Object.entries(accounts))
    world.accounts.set(identifier, { identifier, status: status ?? "active" });
  for (const label of Object.keys(shown)) teamCalled(label);
  for (const [name, person] of Object.entries(there)) {
    const { own = ["TEAM_ROLE"], in: teams = {}, keys = {}, keyStatus = "active", ...rest } = person ?? {};
    const local = name.split("@")[0] ?? name;
    const held: readonly Partial<WorldKey>[] = [
      ...(own === "none" || own === "hidden"
        ? []
        : [{ prefix: `k-${local}`, kind: "user", roles: own, isDefault: true } as const]),
      ...Object.entries(teams).map(([label, roles]) => ({
        prefix: `k-${local}-${label.toLowerCase()}`,
        kind: "team" as const,
        team: teamCalled(label),
        roles: roles ?? ["TEAM_ROLE"],
      })),
      ...all(keys, (prefix, { team, ...key }) => ({ prefix, ...key, ...(team && { team: teamCalled(team) }) })),
    ];
    world.users.push({
      email: emailOf(name),
      identifier: `u-${local}`,
      account: "acc-1",
      status: "active",
      firstName: firstNameOf(local.toLowerCase()),
      lastName: "Test",
      ...rest,
      keys: held.map((key) => ({
        prefix: "",
        kind: "project",
        isDefault: false,
        roles: [],
        status: keyStatus,
        ...key,
      })),
    });
  }
  return world;
}

function shown(written: Written, roster: InputParts["roster"]): Snapshot {
  const { hides, everyone, state, applied = [], unproven = {} } = written;
  const alsoAsked = [...Object.keys(state?.users ?? {}), ...applied].map(addressOf);
  const snapshot = snapshotOf(worldOf(written), { roster: roster ?? aRoster({}), hides, everyone, alsoAsked });
  const absences = new Map(snapshot.absences);
  for (const [name, why] of Object.entries(unproven))
    if (why === null) absences.delete(addressOf(name));
    else absences.set(addressOf(name), { proven: false, why });
  const hidden = new Set(
    Object.entries(written.there ?? {}).flatMap(([name, person]) => (person?.own === "hidden" ? [emailOf(name)] : [])),
  );
  const users = snapshot.users.map(({ keys, ...user }) =>
    hidden.has(user.email) ? user : { ...user, ...(keys && { keys }) },
  );
  const roles = written.offers === "none" ? observed([], "roles") : snapshot.roles;
  return { ...snapshot, roles, users, absences };
}

/** A call of unknown outcome as scenes write it. */
export function openCall([call, when]: readonly [string, string | null], index: number): OpenIntent {
  const [at = recordedAt, how] = when?.split(" ") ?? [];
  const { dated, ...undated } = openIntent(`r-${index + 1}`, "a", intentOf(call), at);
  return { ...undated, ...(how !== "undated" && { dated }), ...(how === "accepted" && { accepted: true }) };
}

function intentOf(call: string): Intent {
  const [, verb, what = "", , more = "", , as = ""] =
    /^(create|add|set) (\S+)( (?:creating|to) (\w*))?( (?:as|of) (\S+))?$/u.exec(call) ?? [];
  if (verb === "create") return creationIntent(what, more === "" ? undefined : more);
  const owner = as === "" ? {} : { owner: addressOf(as) };
  if (verb === "set") return { ...rolesIntent(what, ...more.split("+").filter((role) => role !== "")), ...owner };
  return {
    kind: "add-members",
    team: teamKeyOf("acc-1", more),
    name: more,
    account: "acc-1",
    identifier: as,
    addresses: what.split("+").map(addressOf),
  };
}

/** What is planned and found, without what every address and code ends with. */
export function planLines(parts: InputParts): readonly string[] {
  return outcome(planned(parts)).map(brief);
}

export function messageLines(parts: InputParts): readonly string[] {
  return planned(parts).findings.map(({ kind, code, message }) =>
    brief(`${kind === "task" ? "! " : ""}${code}: ${message}`),
  );
}

/** All that is said of each finding, but for its fingerprint. */
export function wholeFindings(parts: InputParts): readonly string[] {
  return planned(parts).findings.flatMap(wholeFinding);
}

function wholeFinding(finding: Finding): readonly string[] {
  const { kind, code, subject, message, because, restsOn, fingerprint: _, ...more } = finding;
  return [
    `${kind} ${code}: ${formatSubject(subject)}`,
    message,
    ...groundsOf({ because, restsOn }),
    ...Object.entries(more).flatMap(([field, value]) => {
      if (value === undefined) return [];
      const text = typeof value === "string" ? value.trimEnd() : JSON.stringify(value);
      return text.split("\n").map((line) => `${field} ${line}`);
    }),
  ].map(brief);
}

/** Each action with the rule, the reasons and the facts that it rests on. */
export function actionLines(parts: InputParts): readonly string[] {
  return planned(parts).actions.flatMap((action) => [brief(`${action.id} (${action.rule})`), ...groundsOf(action)]);
}

function groundsOf({ because, restsOn }: Pick<Finding, "because" | "restsOn">): readonly string[] {
  return [
    ...because.map((reason) => `because ${reasonText(reason)}`),
    ...restsOn.map(({ about, ...fact }) => brief(`rests on ${formatSubject(about)}: ${factText(fact)}`)),
  ];
}

export function reasonText({ as, name, person, line }: Reason): string {
  return brief([as, name, person, `at ${line}`].filter((part) => part !== undefined).join(" "));
}

function factText(fact: object): string {
  return Object.values(fact)
    .map((part) => (typeof part === "string" ? part : `${part.file}:${part.line}`))
    .join(", ");
}

export function brief(line: string): string {
  return line.replace(/@acme\.example(?!\/)|(?<=\S)#[0-9a-f]{12}/gu, "");
}
