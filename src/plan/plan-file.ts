import {
  changeOf,
  encodeDocument,
  parseJson,
  planFileVersion,
  quoted,
  readDocument,
  schemaProblem,
} from "../codec/document.ts";
import type { Validator } from "../codec/generated/plan-file.js";
import { type PlanFile, type PlanningEvent, planFile, planFileParts } from "../codec/plan-file-format.ts";
import { publish, readPublished } from "../codec/publish.ts";
import { type EmailKey, foldAddress } from "../model/address.ts";
import { object } from "../model/declare.ts";
import { factValue } from "../model/fact.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import {
  type Action,
  type ActionId,
  creationId,
  giverOf,
  type NamesInCalls,
  type Plan,
  peopleOf,
  planFields,
  planFieldsOf,
  teamOf,
} from "../model/plan.ts";
import { needsReason, type Policy } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import { disambiguatedTeamKey, teamKeyOf } from "../model/team.ts";
import type { TeamKey } from "../model/values.ts";
import { planId } from "./plan-id.ts";

/** The same file is always the same text: its longest lists stand last. */
export function encodePlanFile({ plan, ...file }: PlanFile): string {
  const content = publish(planFile, { ...file, ...planFieldsOf(plan) });
  return encodeDocument({ document: "roster plan file", format_version: planFileVersion }, content);
}

/**
 * Reads a plan file back. It must be byte for byte as it was written: so that nothing in it goes unread. The error is one
 * sentence without a trailing stop; whatever the text holds, nothing throws.
 */
export function decodePlanFile(text: string, isValid: Validator): Result<PlanFile, string> {
  const read = readDocument(text, planFileKind, isValid);
  if (!read.ok) return read;
  const file: PlanFile = { ...readPublished(planFileParts, read.value), plan: readPlan(read.value) };
  const disorder = actionOrderProblem(file.plan.actions);
  if (disorder !== undefined) return problem(disorder);
  const changed = changeOf(text, encodePlanFile(file), file.madeBy);
  return changed === undefined ? success(file) : problem(changed);
}

function readPlan(document: unknown): Plan {
  const { planId, summary, ...plan } = readPublished(object(planFields), document);
  return { id: planId, calls: summary.calls, ...plan };
}

const planFileKind = {
  version: planFileVersion,
  otherKind({ document }: JsonObject) {
    if (document === "roster plan file") return undefined;
    return document === "roster snapshot"
      ? "it is a snapshot. `roster plan --from FILE` shows a preview of it; `apply` needs a plan file"
      : "it is not the output of `roster plan --out FILE`. The output of `--format json` cannot be applied";
  },
};

/** The plan of a document that `--format json` wrote. The error is one sentence without a trailing stop; nothing throws. */
export function decodePlanDocument(text: string, isValid: Validator): Result<Plan, string> {
  const document = parseJson(text.replace(/^\uFEFF/u, ""));
  if (document === undefined) return problem("it is not JSON");
  const refusal = unreadablePlanReason(document) ?? schemaProblem(document, isValid);
  if (refusal !== undefined) return problem(refusal);
  const plan = readPlan(document);
  const disorder = actionOrderProblem(plan.actions);
  return disorder === undefined ? success(plan) : problem(disorder);
}

/** Why they are no plan's: they have names of their own and stand after what they depend on. */
function actionOrderProblem(actions: readonly Action[]): string | undefined {
  const before = new Set<string>();
  for (const { id, dependsOn } of actions) {
    if (before.has(id)) return `it has two actions with the id ${quoted(id)}`;
    const missing = dependsOn.find((dependency) => !before.has(dependency));
    if (missing !== undefined) return `its action ${quoted(id)} depends on ${quoted(missing)}, which is not before it`;
    before.add(id);
  }
  return undefined;
}

/** Why a document cannot be a plan of this version, whatever the rest of it looks like. */
function unreadablePlanReason(document: unknown): string | undefined {
  if (!isObject(document)) return "it is not a JSON object";
  const version = document["format_version"];
  if (version === undefined) return "it has no format_version";
  if (typeof version !== "string" || !/^1\.\d+$/u.test(version))
    return `its format_version is ${quoted(version)}, and this version of roster reads 1.x`;
  return document["plan_id"] === undefined ? formatMissingPlan(document) : undefined;
}

function formatMissingPlan(document: JsonObject): string {
  const error = document["error"];
  const why = isObject(error) && typeof error["message"] === "string" ? `: ${error["message"]}` : "";
  return `it holds no plan, because the command that wrote it made none${why}`;
}

const allowanceFlags = ["--allow ", "--reason "] as const;

/** What a person has said for a plan alone, as flags. */
export function policyWords({ include, exclude }: Pick<Policy, "include" | "exclude">, plan: Plan): readonly string[] {
  const only = include.map(({ written }) => `--include ${written}`);
  return [...only, ...exclude.map(({ written }) => `--exclude ${written}`), ...allowanceWords(plan)];
}

function allowanceWords({ allowed = [], reason }: Plan): readonly string[] {
  const [allowFlag, reasonFlag] = allowanceFlags;
  const why = reason === undefined ? [] : [`${reasonFlag}${JSON.stringify(reason.text)}`];
  return [...allowed.map(({ code }) => `${allowFlag}${code}`), ...why];
}

/** Why a file that was read back is no approval, as the end of a sentence. What a person has allowed is shown as flags, and counts as the plan has it. */
export function planFileFault({ policy, plan, lessons }: PlanFile): string | undefined {
  const fault = planFault(plan, lessons);
  if (fault !== undefined) return fault;
  const shown = policy.words.filter((word) => allowanceFlags.some((flag) => word.startsWith(flag)));
  const meant = allowanceWords(plan);
  if (shown.length !== meant.length || meant.some((word, at) => shown[at] !== word))
    return "it shows other exceptions than it allows";
  const open = (plan.allowed ?? []).find(({ code }) => needsReason(code));
  return open === undefined || plan.reason !== undefined ? undefined : `it allows ${open.code} without a reason`;
}

/** An approval names the ID of a plan, and counts for its actions: the ID must be theirs. */
export function planFault(plan: Plan, lessons: readonly PlanningEvent[] = []): string | undefined {
  if (planId(plan) !== plan.id) return "its plan ID is not the ID of its actions";
  return planContradiction(plan, lessons);
}

/**
 * In what a saved plan contradicts itself, as the end of a sentence; undefined where it does not. No plan that roster has made
 * does: somebody has edited it, so that it shows one person or team, and its calls name another. `lessons`: what the plan's reads
 * have taught.
 */
export function planContradiction(
  plan: Pick<Plan, "actions"> & NamesInCalls,
  lessons: readonly PlanningEvent[] = [],
): string | undefined {
  const earlier = new Map<ActionId, Action>();
  for (const action of plan.actions) {
    const fault = actionContradiction(action, earlier, plan);
    if (fault !== undefined) return fault;
    earlier.set(action.id, action);
  }
  return namesContradiction(plan, lessons);
}

function actionContradiction(action: Action, earlier: ReadonlyMap<ActionId, Action>, { users, teams }: NamesInCalls) {
  const team = teamOf(action);
  if (team !== undefined && !teams.has(team)) return `it does not say how calls name the team ${team}`;
  const unnamed = peopleOf(action).find((address) => !users.has(address));
  if (unnamed !== undefined) return `it does not say how calls name ${unnamed}`;
  switch (action.kind) {
    case "create-user": {
      const { id, address, account, user, createsTeam } = action;
      if (id !== creationId(address)) return `its action ${id} creates ${address}`;
      if (users.get(address)?.email !== user.email) return twoAddresses(user.email, address);
      if (createsTeam === undefined) return undefined;
      if (createsTeam.accessKeyRoles.length === 0) return `it creates the team ${createsTeam.name} without roles`;
      return teamKeyContradiction(createsTeam.team, account, createsTeam.name);
    }
    case "add-members":
      return action.firstMember === undefined || isCreationOf(earlier.get(creationId(action.firstMember)), team)
        ? undefined
        : `its action ${creationId(action.firstMember)} does not create the team ${team}`;
    case "replace-roles": {
      if (action.key.of === "prefix" || givesKey(earlier.get(giverOf(action) ?? ""), action.key.address, team))
        return undefined;
      return `its action ${giverOf(action)} gives no such key to ${action.key.address}`;
    }
  }
}

function isCreationOf(action: Action | undefined, team: TeamKey | undefined): boolean {
  return action?.kind === "create-user" && action.createsTeam?.team === team;
}

function twoAddresses(email: string, address: EmailKey): string {
  return `it has two addresses for one person: ${email} and ${address}`;
}

function givesKey(action: Action | undefined, address: EmailKey, team: TeamKey | undefined): boolean {
  if (action?.kind === "add-members")
    return action.team === team && action.members.some((member) => member.address === address);
  return action?.kind === "create-user" && action.address === address && isCreationOf(action, team);
}

/** What each person and each team is called in calls: by its own key, and by what the reads have shown. */
function namesContradiction(
  { actions, users, teams }: Pick<Plan, "actions"> & NamesInCalls,
  lessons: readonly PlanningEvent[],
): string | undefined {
  const seen = lessons.filter((lesson) => lesson.type === "users-observed");
  const seenPeople = new Map(
    seen.flatMap(({ people }) => people.map(({ address, identifier }) => [address, identifier])),
  );
  const seenTeams = new Map(seen.flatMap((lesson) => lesson.teams.map(({ team, identifier }) => [team, identifier])));
  for (const [address, { email, identifier }] of users) {
    if (foldAddress(email) !== address) return twoAddresses(email, address);
    const [own, other] = [factValue(identifier), seenPeople.get(address)];
    if (own !== undefined && other !== undefined && own !== other)
      return `it has two identifiers for ${email}: ${other} and ${own}`;
  }
  const joined = new Set(actions.flatMap((action) => (action.kind === "add-members" ? action.team : [])));
  const identifiers = new Set<string>();
  for (const [team, { name, account, identifier }] of teams) {
    const [own, other] = [factValue(identifier), seenTeams.get(team)];
    const fault = teamKeyContradiction(team, account, name, own);
    if (fault !== undefined) return fault;
    if (own === undefined) continue;
    if (other !== undefined && own !== other) return `it has two identifiers for the team ${name}: ${other} and ${own}`;
    if (!joined.has(team)) continue;
    if (identifiers.has(own)) return `it has the identifier ${own} for two teams`;
    identifiers.add(own);
  }
  return undefined;
}

function teamKeyContradiction(key: TeamKey, account: string, name: string, identifier = ""): string | undefined {
  const isOwn = key === teamKeyOf(account, name) || key === disambiguatedTeamKey(account, name, identifier);
  return isOwn ? undefined : `it has two names for one team: ${account}/${name} and ${key}`;
}
