import type { Action, ActionId, AddMembers, PersonRef, ReplaceRoles } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";

/** The action whose end keeps others from being done, and what to say of it. */
export interface Cause {
  readonly action: ActionId;
  readonly why: string;
}

/** How an action ended, as those see it that depend on it. `without`: people whom the call did not reach. */
export type Ending =
  | { readonly done: true; readonly without: ReadonlyMap<FoldedAddress, Cause> }
  | { readonly done: false; readonly cause: Cause };

export type Endings = ReadonlyMap<ActionId, Ending>;

export type Verdict =
  | { readonly may: "start"; readonly action: Action; readonly without: ReadonlyMap<FoldedAddress, Cause> }
  | { readonly may: "not-start"; readonly cause: Cause };

const nobody: ReadonlyMap<FoldedAddress, Cause> = new Map();

/** Whether an action whose dependencies have all ended may start, and with whom. */
export function judgeStart(action: Action, endings: Endings): Verdict {
  const cause = hardCause(action, endings);
  if (cause !== undefined) return { may: "not-start", cause };
  return action.kind === "add-members" ? judgeMembers(action, endings) : { may: "start", action, without: nobody };
}

/** A cause that forbids the whole action, whoever else is in it. */
function hardCause(action: Action, endings: Endings): Cause | undefined {
  switch (action.kind) {
    case "create-user":
      return firstCause(action.dependsOn, endings);
    case "add-members":
      return causeOf(action.team.foundedBy, endings);
    case "replace-roles":
      return causeForKey(action, endings);
  }
}

function causeForKey({ key, owner }: ReplaceRoles, endings: Endings): Cause | undefined {
  const team = key.of === "own-key" ? undefined : key.team;
  const founding = causeOf(team?.foundedBy, endings) ?? causeOf(owner?.createdBy, endings);
  if (founding !== undefined || key.of === "prefix") return founding;
  const giver = endings.get(key.givenBy);
  if (giver === undefined) return undefined;
  return giver.done ? giver.without.get(key.address) : giver.cause;
}

/** People whose creation did not succeed fall away one by one; the call goes on with the others. */
function judgeMembers(action: AddMembers, endings: Endings): Verdict {
  const without = new Map<FoldedAddress, Cause>();
  const members: PersonRef[] = [];
  for (const member of action.members) {
    const cause = causeOf(member.createdBy, endings);
    if (cause === undefined) members.push(member);
    else without.set(member.address, cause);
  }
  const [first] = without.values();
  if (members.length === 0 && first !== undefined) return { may: "not-start", cause: first };
  return { may: "start", action: first === undefined ? action : { ...action, members }, without };
}

function firstCause(actions: readonly ActionId[], endings: Endings): Cause | undefined {
  for (const action of actions) {
    const cause = causeOf(action, endings);
    if (cause !== undefined) return cause;
  }
  return undefined;
}

function causeOf(action: ActionId | undefined, endings: Endings): Cause | undefined {
  const ending = action === undefined ? undefined : endings.get(action);
  return ending === undefined || ending.done ? undefined : ending.cause;
}
