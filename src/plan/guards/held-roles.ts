import type { Action, KeyRef, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { distinctReasons, type Fact, factValue, observed, type Reason, recorded, unknown } from "../../model/fact.ts";
import type { LocatedSetting } from "../../model/policy.ts";
import { byCodeUnit, multimap, type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { type RosterUser, usersByAddress } from "../../model/roster.ts";
import { accountStatus, isDeleted, type ObservedUser } from "../../model/snapshot.ts";
import { type Basis, keySubject, type Subject, unknownBasis, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { type FindingDraft, truncateList } from "../finding-draft.ts";
import { rolesBasis } from "../identities.ts";
import { recordedKeys } from "../snapshot-index.ts";
import type { GuardInput } from "./guard-types.ts";

/** One key, who holds it, and its roles. */
export interface HeldKey {
  /** Names the key apart from the other keys of its holder. */
  readonly id: string;
  readonly holder: KeyHolder;
  /** Such as `the key 12pref1x121 in Red`. */
  readonly name: string;
  readonly roles: RoleSet | "unknown";
  /** The lines of the roster that ask for its roles. */
  readonly because: readonly Reason[];
  readonly restsOn: readonly Basis[];
}

/** As reads show it, else as records say, else as the roster says. A key of nobody known stands for its holder. */
export interface KeyHolder {
  readonly subject: Subject;
  /** The address of the person, where one is known. */
  readonly address?: FoldedAddress;
  readonly name: string;
}

/** What an action puts on one key, and what the key had. */
export interface GivenKey extends HeldKey {
  readonly roles: RoleSet;
  readonly had: RoleSet | "unknown";
}

/** Which roles a given key gains. All of them, where nobody knows what the key had. */
export function rolesGained({ roles, had }: GivenKey): RoleSet {
  return had === "unknown" ? roles : rolesWithout(roles, had);
}

/**
 * Who holds which roles over all teams and accounts: as read or recorded, then with what actions give. Leavers and deleted users
 * hold nothing. Barred users do: they may come back.
 */
export class HeldRoles {
  readonly #context: PlanContext;
  readonly #people: ReadonlyMap<FoldedAddress, RosterUser>;
  readonly #listedOwners: ReadonlyMap<string, FoldedAddress>;
  readonly #byHolder = new Map<string, Map<string, HeldKey>>();
  readonly #unseen = new Set<string>();

  constructor({ context, managedKeys }: Pick<GuardInput, "context" | "managedKeys">) {
    this.#context = context;
    this.#people = usersByAddress(context.roster);
    this.#listedOwners = new Map(
      context.roster.keys.flatMap(({ prefix, owner }) => (owner === undefined ? [] : [[prefix, owner.value]])),
    );
    const because = new Map(managedKeys.map((key) => [key.prefix, key.because]));
    const noted = multimap(recordedKeys(context.state).map(({ prefix, address }) => [address, prefix]));
    for (const [address, found] of context.facts.people) {
      if (context.roster.leavers.has(address)) continue;
      for (const user of found) this.#read(user, because, noted.get(address) ?? []);
    }
  }

  /** All keys of each holder, sorted by holder. */
  holders(): readonly (readonly [KeyHolder, readonly HeldKey[]])[] {
    const sorted = [...this.#byHolder].sort(([a], [b]) => byCodeUnit(a, b));
    return sorted.flatMap(([, byId]) => {
      const keys = [...byId.values()];
      return keys.slice(0, 1).map(({ holder }) => [holder, keys] as const);
    });
  }

  /** The other keys of the same holder. */
  besides({ id, holder }: HeldKey): readonly HeldKey[] {
    return [...(this.#byHolder.get(holderId(holder))?.values() ?? [])].filter((key) => key.id !== id);
  }

  put(key: HeldKey): void {
    const id = holderId(key.holder);
    const keys = this.#byHolder.get(id) ?? new Map<string, HeldKey>();
    this.#byHolder.set(id, keys.set(key.id, key));
  }

  /** What an action puts on keys: on one, but where reads show several holders of a key. */
  given(action: Action): readonly GivenKey[] {
    switch (action.kind) {
      case "create-user": {
        const { id, founds, address, because } = action;
        if (founds === undefined) return [];
        const name = `the team key in ${founds.name}`;
        return [
          { id, holder: this.#holderAt(address), name, roles: founds.accessKeyRoles, had: [], because, restsOn: [] },
        ];
      }
      case "add-members":
        return [];
      case "replace-roles":
        return this.#replaced(action);
    }
  }

  /** Puts what all these actions give. */
  apply(actions: readonly Action[]): this {
    for (const action of actions) for (const key of this.given(action)) this.put(key);
    return this;
  }

  /** The people of whom not all roles are known. */
  unseen(): readonly string[] {
    const hidden = this.holders().flatMap(([{ name }, keys]) =>
      keys.some(({ roles }) => roles === "unknown") ? [name] : [],
    );
    return [...new Set([...this.#unseen, ...hidden])].sort(byCodeUnit);
  }

  #read(user: ObservedUser, because: ReadonlyMap<string, readonly Reason[]>, noted: readonly string[]): void {
    if (isDeleted(user)) return;
    const holder = this.#holderAt(user.address);
    if (user.keys === undefined) this.#unseen.add(holder.name);
    const keys: readonly ReadKey[] = user.keys?.filter((key) => !isDeleted(key)) ?? noted.map((prefix) => ({ prefix }));
    for (const { prefix, roles: shown, team } of keys) {
      const roles = shown === undefined ? this.#recordedRoles(prefix) : observed(shown, user.by);
      this.put({
        id: prefix,
        holder,
        name: keyName(prefix, team === "none" ? undefined : team?.name),
        roles: factValue(roles) ?? "unknown",
        because: because.get(prefix) ?? [],
        restsOn: [rolesBasis(prefix, roles)],
      });
    }
  }

  #recordedRoles(prefix: string): Fact<RoleSet> {
    const record = this.#context.state.keys.get(prefix);
    return record === undefined
      ? unknown("the service does not show the roles of this key")
      : recorded(record.put, record.at);
  }

  #replaced(action: ReplaceRoles): readonly GivenKey[] {
    const { key, roles, because } = action;
    return this.#holdersOf(action).map((holder) => {
      const id = key.of === "prefix" ? (factValue(key.prefix) ?? action.id) : key.givenBy;
      const known = this.#byHolder.get(holderId(holder))?.get(id);
      const had = known?.roles ?? factValue(action.before) ?? (key.of === "prefix" ? "unknown" : []);
      return { id, holder, name: known?.name ?? describeKey(key), roles, had, because, restsOn: [] };
    });
  }

  #holdersOf({ key, owner, id }: ReplaceRoles): readonly KeyHolder[] {
    if (key.of !== "prefix") return [this.#holderAt(key.address)];
    const { holders } = this.#context;
    const prefix = factValue(key.prefix) ?? id;
    const shown = holders.shown(prefix).filter((one) => !isDeleted(one.holder) && !isDeleted(one.key));
    if (shown.length > 0) return shown.map(({ holder }) => this.#holderAt(holder.address));
    const address = holders.recorded(prefix)[0]?.address ?? owner?.address ?? this.#listedOwners.get(prefix);
    if (address !== undefined) return [this.#holderAt(address)];
    return [{ subject: keySubject(prefix), name: `the holder of the key ${prefix}` }];
  }

  /** A former address is the same person. */
  #holderAt(address: FoldedAddress): KeyHolder {
    const user = this.#people.get(address);
    const email = user?.email ?? this.#context.facts.people.get(address)?.[0]?.email ?? address;
    const person = user?.address ?? address;
    return { subject: userSubject(person), address: person, name: email };
  }
}

type ReadKey = Pick<NonNullable<ObservedUser["keys"]>[number], "prefix" | "roles" | "team">;

function holderId({ address, name }: KeyHolder): string {
  return address ?? name;
}

function describeKey(key: KeyRef): string {
  switch (key.of) {
    case "own-key":
      return "their own key";
    case "team-key":
      return `the team key in ${key.team.name}`;
    case "prefix":
      return keyName(factValue(key.prefix) ?? "with an unknown prefix", key.team?.name);
  }
}

function keyName(prefix: string, team: string | undefined): string {
  return `the key ${prefix}${team === undefined ? "" : ` in ${team}`}`;
}

/** The first line of the roster behind each key, and what is known of its roles. */
export function reasonsFor(keys: readonly HeldKey[]): Pick<FindingDraft, "because" | "restsOn"> {
  return {
    because: distinctReasons(keys.flatMap(({ because }) => because.slice(0, 1))),
    restsOn: keys.flatMap(({ restsOn }) => restsOn),
  };
}

/** That a guard could not check everyone. What it does not see is never taken for nothing. */
export function reportUnseenRoles(
  setting: LocatedSetting,
  people: readonly string[],
  { snapshot }: Pick<PlanContext, "snapshot">,
  reads: "everyone" | "some",
): readonly FindingDraft[] {
  const { everyone } = snapshot;
  const why = {
    complete: [],
    incomplete: everyone.read === "incomplete" ? [`The list of users is incomplete: ${everyone.why}.`] : [],
    "not-read": ["This plan did not read all users."],
  }[everyone.read];
  const gaps = [
    ...(reads === "everyone" ? why : []),
    ...(people.length === 0
      ? []
      : [
          `The service does not show all roles of ${people.length === 1 ? "1 user" : `${people.length} users`}: ${truncateList(people)}.`,
        ]),
  ];
  if (gaps.length === 0) return [];
  const subject: Subject = { kind: "setting", setting };
  const message = `roster could not check \`${setting}\` completely. ${gaps.join(" ")} Check these roles in the service.`;
  return [
    {
      code: "limited-roles-unknown",
      subject,
      message,
      because: [],
      restsOn: [unknownBasis(subject, "not all roles are shown")],
      concerns: [],
    },
  ];
}

/** The keys of one person, with their roles before the plan and after it where they are known. */
interface RolesBeforeAndAfter {
  readonly before: readonly (RoleSet | "unknown")[];
  readonly after: readonly (RoleSet | "unknown")[];
}

interface KeyRolesOfUser {
  readonly address: FoldedAddress;
  readonly before: RoleSet | "unknown" | "no-key";
  readonly after: RoleSet | "unknown";
}

/** What everybody who was read, and is active, holds before the plan and after it. */
export function rolesByUser({ context, actions }: GuardInput): ReadonlyMap<FoldedAddress, RolesBeforeAndAfter> {
  const { snapshot, state } = context;
  const keys = new Map<string, KeyRolesOfUser>();
  for (const { address, status, keys: shown = [] } of snapshot.users) {
    if (accountStatus(status) !== "active") continue;
    for (const { prefix, status: word, roles } of shown) {
      if (accountStatus(word) === "deleted") continue;
      const before = roles ?? state.keys.get(prefix)?.put ?? "unknown";
      keys.set(prefix, { address, before, after: before });
    }
  }
  for (const action of actions) applyAction(keys, action);
  const held = new Map<FoldedAddress, RolesBeforeAndAfter>();
  for (const { address, before, after } of keys.values()) {
    const known = held.get(address) ?? { before: [], after: [] };
    const had = before === "no-key" ? [] : [before];
    held.set(address, { before: [...known.before, ...had], after: [...known.after, after] });
  }
  return held;
}

function applyAction(keys: Map<string, KeyRolesOfUser>, action: Action): void {
  if (action.kind === "create-user" && action.founds !== undefined) {
    const { address, founds, id } = action;
    keys.set(`${id} ${address}`, { address, before: "no-key", after: founds.accessKeyRoles });
  }
  if (action.kind === "replace-roles") applyReplacement(keys, action);
}

function applyReplacement(keys: Map<string, KeyRolesOfUser>, { key, owner, before, roles }: ReplaceRoles): void {
  if (key.of !== "prefix") {
    keys.set(`${key.givenBy} ${key.address}`, { address: key.address, before: "no-key", after: roles });
    return;
  }
  const prefix = factValue(key.prefix);
  const known = prefix === undefined ? undefined : keys.get(prefix);
  const address = known?.address ?? owner?.address;
  if (prefix === undefined || address === undefined) return;
  const had = known?.before ?? factValue(before) ?? "unknown";
  keys.set(prefix, { address, before: had, after: isOnlyDeclared(key) ? rolesAlreadyHeld(roles, had) : roles });
}

/** Nobody is known to hold the key: what it gains is not counted for the person that the roster names. */
function isOnlyDeclared(key: ReplaceRoles["key"]): boolean {
  return key.of === "prefix" && key.prefix.known === "declared";
}

function rolesAlreadyHeld(roles: RoleSet, had: KeyRolesOfUser["before"]): RoleSet {
  return typeof had === "string" ? [] : roles.filter((role) => had.includes(role));
}

/** Whether one of the keys carries one of the roles; `unknown` where only a key of unknown roles may. */
export function holdsAny(keys: readonly (RoleSet | "unknown")[], roles: RoleSet): "yes" | "no" | "unknown" {
  const carries = (key: RoleSet | "unknown") => key !== "unknown" && key.some((role) => roles.includes(role));
  if (keys.some(carries)) return "yes";
  return keys.includes("unknown") ? "unknown" : "no";
}
