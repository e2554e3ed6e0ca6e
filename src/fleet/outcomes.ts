import { definedFields, groupBy, multimap } from "../model/collections.ts";
import type { Target } from "./fleet-file.ts";
import type { FleetSummary, ShownUser, TargetOutcome } from "./fleet-summary.ts";

export function notStarted({ name, endpoint }: Target): TargetOutcome {
  const service = endpoint.replace(/(?<=:\/\/)[^/?#]*@/u, "");
  return { name, service, status: "not-started", privileged_gains: 0, changes: 0, problems: 0, done: 0, reports: [] };
}

/** A role of a key in an access map, or a key or user without a role. `not_shown`: what is hidden of it. */
type Held = Partial<Readonly<Record<"person" | "prefix" | "team" | "role" | "not_shown", string | undefined>>> & {
  readonly privileged: boolean;
};

/** `users`: also those without a key, of whom there is nothing in the rows. */
export function shownAccess(rows: readonly Held[], users: readonly Pick<ShownUser, "person" | "status">[]) {
  const keys = groupBy(rows, ({ person, prefix }) => `${person} ${prefix}`);
  const byPerson = groupBy(rows, ({ person = "" }) => person);
  return {
    access: [...keys.values()].flatMap((own) => {
      const roles = own.flatMap(({ role }) => role ?? []);
      const { person, team } = own[0];
      const privileged = own.some((row) => row.privileged);
      return roles.length === 0 ? [] : [{ ...definedFields({ person, team }), roles, privileged }];
    }),
    users: users.map(({ person, status }): ShownUser => {
      const own = byPerson.get(person) ?? [];
      const unread = own.some(({ not_shown = "team" }) => not_shown !== "team");
      const prefixes = own.flatMap(({ prefix }) => prefix ?? []);
      return { person, ...definedFields({ status }), keys: new Set(prefixes).size, unread };
    }),
  };
}

/** Where the exit code says what remains, it says it of privileged gains too. */
export function statusOf(exitCode: number, left: Pick<TargetOutcome, "changes" | "problems">): TargetOutcome["status"] {
  if (![0, 2, 9].includes(exitCode)) return "failed";
  if (exitCode === 2 || left.changes > 0) return "changes";
  return exitCode === 9 || left.problems > 0 ? "problems" : "clean";
}

export function summaryOf(summary: Omit<FleetSummary, "counts" | "privileged_gains">): FleetSummary {
  const counts = { failed: 0, "not-started": 0, changes: 0, problems: 0, clean: 0 };
  for (const { status } of summary.targets) counts[status] += 1;
  const privileged_gains = summary.targets.reduce((sum, target) => sum + target.privileged_gains, 0);
  return { ...summary, privileged_gains, counts };
}

/** Privileged gains, then failures, then the rest; each in the order of the fleet. */
export function mostUrgentFirst(targets: readonly TargetOutcome[]): readonly TargetOutcome[] {
  const ranks = { failed: 0, "not-started": 1, changes: 2, problems: 3, clean: 4 };
  return targets.toSorted((a, b) => b.privileged_gains - a.privileged_gains || ranks[a.status] - ranks[b.status]);
}

/** Whether all of a target was shown: nothing else proves who is not there. */
function isWhole({ status, details = [] }: TargetOutcome): boolean {
  return status === "clean" || (status === "problems" && details.length === 0);
}

/** After `fleet access`. First users: with a role, known to have none, with hidden keys or roles. Then targets. */
export function countAccess(targets: readonly TargetOutcome[]) {
  const open = targets.flatMap(usersWithoutRoles);
  const count = (is: (target: TargetOutcome) => boolean) => targets.filter(is).length;
  return {
    people: new Set(targets.flatMap(({ access = [] }) => access.map(({ person }) => person))).size,
    bare: open.filter(({ unread }) => !unread).length,
    hidden: open.filter(({ unread }) => unread).length,
    holding: count(({ access = [] }) => access.length > 0),
    there: count(({ users = [] }) => users.length > 0),
    without: count((target) => isWhole(target) && target.users?.length === 0),
    unread: targets.length - count(isWhole),
  };
}

/** Those of whom the list of roles does not say all. */
export function usersWithoutRoles({ access = [], users = [] }: TargetOutcome): readonly ShownUser[] {
  const holders = new Set(access.map(({ person }) => person));
  return users.filter(({ person, unread }) => unread || !holders.has(person));
}

const maxCells = 20_000;

/** Who is there, with a cell for each target; nobody of too many. `unread`: there may be more than is known. */
export function peopleGrid(targets: readonly TargetOutcome[]) {
  const people = multimap(
    targets.flatMap((target) => (target.users ?? []).map((user) => [user.person, { target, user }] as const)),
  );
  if (people.size * targets.length > maxCells) return [];
  return [...people].map(([person, seen]) => ({
    person,
    cells: targets.map((one) => {
      const user = seen.find(({ target }) => target === one)?.user;
      const keys = (one.access ?? []).filter((key) => key.person === person);
      return {
        user,
        roles: keys.reduce((sum, key) => sum + key.roles.length, 0),
        privileged: keys.some((key) => key.privileged),
        unread: user?.unread ?? (one.users === undefined || one.status === "failed"),
      };
    }),
  }));
}
