import type { Action, ActionId, AddMembers, PersonRef, ReplaceRoles } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";

/** The action whose end keeps others from being done, and what to say of it. */
export interface SkipCause {
  readonly action: ActionId;
  readonly why: string;
}

/** How an action ended, as those see it that depend on it. `without`: people whom the call did not reach. */
export type DependencyOutcome =
  | { readonly done: true; readonly without: ReadonlyMap<FoldedAddress, SkipCause> }
  | { readonly done: false; readonly cause: SkipCause };

export type DependencyOutcomes = ReadonlyMap<ActionId, DependencyOutcome>;

export type StartDecision =
  | { readonly may: "start"; readonly action: Action; readonly without: ReadonlyMap<FoldedAddress, SkipCause> }
  | { readonly may: "not-start"; readonly cause: SkipCause };

const noMembers: ReadonlyMap<FoldedAddress, SkipCause> = new Map();

/** Whether an action whose dependencies have all ended may start, and with whom. */
export function decideStart(action: Action, endings: DependencyOutcomes): StartDecision {
  const cause = blockingCause(action, endings);
  if (cause !== undefined) return { may: "not-start", cause };
  return action.kind === "add-members" ? decideMembers(action, endings) : { may: "start", action, without: noMembers };
}

/** A cause that forbids the whole action, whoever else is in it. */
function blockingCause(action: Action, endings: DependencyOutcomes): SkipCause | undefined {
  switch (action.kind) {
    case "create-user":
      return firstCause(action.dependsOn, endings);
    case "add-members":
      return causeFrom(action.team.foundedBy, endings);
    case "replace-roles":
      return blockingCauseForKey(action, endings);
  }
}

function blockingCauseForKey({ key, owner }: ReplaceRoles, endings: DependencyOutcomes): SkipCause | undefined {
  const team = key.of === "own-key" ? undefined : key.team;
  const founding = causeFrom(team?.foundedBy, endings) ?? causeFrom(owner?.createdBy, endings);
  if (founding !== undefined || key.of === "prefix") return founding;
  const giver = endings.get(key.givenBy);
  if (giver === undefined) return undefined;
  return giver.done ? giver.without.get(key.address) : giver.cause;
}

/** People whose creation did not succeed fall away one by one; the call goes on with the others. */
function decideMembers(action: AddMembers, endings: DependencyOutcomes): StartDecision {
  const without = new Map<FoldedAddress, SkipCause>();
  const members: PersonRef[] = [];
  for (const member of action.members) {
    const cause = causeFrom(member.createdBy, endings);
    if (cause === undefined) members.push(member);
    else without.set(member.address, cause);
  }
  const [first] = without.values();
  if (members.length === 0 && first !== undefined) return { may: "not-start", cause: first };
  return { may: "start", action: first === undefined ? action : { ...action, members }, without };
}

function firstCause(actions: readonly ActionId[], endings: DependencyOutcomes): SkipCause | undefined {
  for (const action of actions) {
    const cause = causeFrom(action, endings);
    if (cause !== undefined) return cause;
  }
  return undefined;
}

function causeFrom(action: ActionId | undefined, endings: DependencyOutcomes): SkipCause | undefined {
  const ending = action === undefined ? undefined : endings.get(action);
  return ending === undefined || ending.done ? undefined : ending.cause;
}
