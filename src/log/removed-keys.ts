import { latest, multimap } from "../model/collections.ts";
import type { LogEvent } from "../model/event.ts";
import { type EndedChange, removals } from "../model/finding.ts";
import type { State } from "../model/state.ts";
import type { StateFold } from "./fold.ts";
import { draftFromState, stateFromDraft } from "./state-draft.ts";

export type EndedRemoval = Pick<EndedChange, "change" | "since" | "endedAt">;

/** Those of the changes by others that an event says are over. */
export function endedBy(event: LogEvent, fold: Pick<StateFold, "state">): readonly EndedRemoval[] {
  if (event.type !== "findings-seen") return [];
  return event.gone.flatMap((fingerprint) => {
    const { outside = [], since = "" } = fold.state().openFindings?.get(fingerprint) ?? {};
    return outside.map((change) => ({ change, since, endedAt: event.at }));
  });
}

/** Without the roles of keys whose removal by others is over: they may be gone or back, until a later read or change shows what they have. */
export function withoutRemoved(state: State, over: readonly EndedRemoval[]): State {
  const draft = draftFromState(state);
  const { access, keys, memberships, openFindings, seenKeys } = draft;
  const memberKeys = new Set([...memberships.values()].map(({ prefix }) => prefix));
  const changed = multimap(
    [...openFindings.values()].flatMap(({ outside = [], since }) =>
      outside.map(({ key }) => [key?.prefix, since] as const),
    ),
  );
  const removed = multimap(
    over.flatMap((one) => {
      const { is, key, person } = one.change;
      const id = is === "user-removed" ? person?.address : key?.prefix;
      return removals.includes(is) ? [[id, one] as const] : [];
    }),
  );
  for (const prefix of new Set([...seenKeys.keys(), ...keys.keys(), ...access.keys()])) {
    const { roles = [], ...known } = access.get(prefix) ?? { prefix };
    const seen = seenKeys.get(prefix);
    const { address = seen?.address } = known;
    const at = latest(seen?.at, keys.get(prefix)?.at, ...roles.map((role) => role.at)) ?? "";
    const since = latest(...(changed.get(prefix) ?? [])) ?? "";
    const ended = [prefix, address].flatMap((id) => (id === undefined ? [] : (removed.get(id) ?? [])));
    const removal = ended.find((one) => one.since >= at && one.endedAt > since);
    if (removal === undefined) continue;
    seenKeys.delete(prefix);
    keys.delete(prefix);
    if (removal.change.team !== undefined && !memberKeys.has(prefix)) access.delete(prefix);
    else access.set(prefix, { ...known, address });
  }
  return stateFromDraft(draft);
}
