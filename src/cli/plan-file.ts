import { resolve } from "node:path";
import { Readable } from "node:stream";
import { claimsToBePlan, isPlanFile, planFileHeader } from "../codec/document.ts";
import type { PlanFile, PlanningEvent } from "../codec/plan-file-format.ts";
import { invalidSetting } from "../library/error.ts";
import { beginningOf, type LoadedRoster } from "../library/load-roster.ts";
import { learnedEvents, type Planned, stateBasis } from "../library/plan.ts";
import { digestPreconditions } from "../log/preconditions.ts";
import { definedFields } from "../model/collections.ts";
import { factValue } from "../model/fact.ts";
import { canonicalJson, sha256 } from "../model/json.ts";
import { accountStatus, shownTeams } from "../model/key.ts";
import type { Plan } from "../model/plan.ts";
import { type GuardSettings, needsReason, type Policy } from "../model/policy.ts";
import { type Roster, rosterDigest } from "../model/roster.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { AddressedUser } from "../model/user.ts";
import { planId } from "../plan/actions.ts";
import { decodePlanDocument, decodePlanFile, encodePlanFile, planContradiction } from "../plan/plan-file.ts";
import { isoTime } from "../ports/clock.ts";
import type { PlanFileReport } from "../report/json/document-format.ts";
import type { CommandOutcome } from "../report/outcome.ts";
import { maxFileBytes } from "../yaml/source-text.ts";
import { beginningOfFile, type OutKind, readInput, writeOut } from "./files.ts";
import { type Host, readStandardInput } from "./host.ts";
import { installedPackage } from "./installed-package.ts";
import { hasRosterName } from "./report-flags.ts";

export async function savePlan(
  path: string,
  { planned, loaded }: { readonly planned: Planned; readonly loaded: LoadedRoster },
  host: Host,
): Promise<PlanFileReport> {
  const { plan, snapshot, before, context } = planned;
  const { policy } = context;
  if (before === undefined) throw new Error("A plan of a snapshot is not saved.");
  const { readAt, everyone, capabilities } = snapshot;
  const { roster, counts } = loaded;
  // When the next user becomes a leaver, the roster asks for something else. Arguments of one call may not be so many.
  const lastDays = [...roster.users.values()].flatMap(({ until }) => (until ? [Date.parse(until.value)] : []));
  const expires = lastDays.reduce((first, day) => Math.min(first, day), Date.parse(readAt) + lifetime);
  const madeAt = isoTime(host.clock);
  const file: PlanFile = {
    file: host.randomness.identifier(),
    madeAt,
    madeBy: installedPackage().version,
    expiresAt: new Date(expires).toISOString(),
    basis: {
      roster: { digest: rosterDigest(roster), ...counts },
      ...definedFields({ state: stateBasis(before) }),
      readAt,
      everyone,
      capabilities,
    },
    policy: {
      words: [
        ...policy.include.map(({ written }) => `--include ${written}`),
        ...policy.exclude.map(({ written }) => `--exclude ${written}`),
        ...formatAllowanceFlags(plan),
      ],
      privilegedRoles: policy.privilegedRoles,
      guards: guardsDigest(policy),
    },
    records: digestPreconditions(plan, planned.state),
    lessons: learnedEvents(planned, { roster, policy, at: madeAt }),
    witnesses: sampleUsers(snapshot, roster, plan),
    plan,
  };
  const text = encodePlanFile(file);
  await writeOut(path, text, host, planFileKind);
  return { path, file, digest: sha256(text), is: "written" };
}

const maxSampleUsers = 5;

/** First one of each team that people are added to, then people of the roster: others need not be named. */
function sampleUsers({ users }: Snapshot, roster: Roster, { actions, teams }: Plan): readonly AddressedUser[] {
  const there = users.filter(({ status }) => accountStatus(status) === "active" || accountStatus(status) === "pending");
  const joined = new Set(
    actions.flatMap((action) => {
      const team = action.kind === "add-members" ? teams.get(action.team) : undefined;
      return (team && factValue(team.identifier)) ?? [];
    }),
  );
  const members = there.filter(({ keys = [] }) =>
    shownTeams(keys).some(({ identifier }) => identifier !== undefined && joined.delete(identifier)),
  );
  const named = there.filter(({ address }) => roster.users.has(address));
  const best = new Set([...members, ...named, ...there]);
  return [...best].slice(0, Math.max(members.length, maxSampleUsers)).map(({ address, email }) => ({ address, email }));
}

const allowanceFlags = ["--allow ", "--reason "] as const;

function formatAllowanceFlags({ allowed = [], reason }: Plan): readonly string[] {
  const [allowFlag, reasonFlag] = allowanceFlags;
  const why = reason === undefined ? [] : [`${reasonFlag}${JSON.stringify(reason.text)}`];
  return [...allowed.map(({ code }) => `${allowFlag}${code}`), ...why];
}

/** How long a saved plan is good for, in milliseconds from the reading on. */
const lifetime = 86_400_000;

export const planFileKind: OutKind = { name: "plan file", mark: planFileHeader };

export interface SavedText {
  readonly path: string;
  readonly text: string;
}

/** What the paths of an apply lead to: a saved plan, known by its content, or anything else, which is read as a roster. */
type FoundPlan =
  | ({ readonly is: "plan" } & SavedText)
  /** `stdin`: what is left of standard input. */
  | { readonly is: "no-plan"; readonly stdin: Host["stdin"] };

/** No plan is larger, in bytes; nor is a roster, which says so. */
const largestPlan = 256 * 1024 * 1024;

export async function findPlan(paths: readonly string[], host: Host): Promise<FoundPlan> {
  let { stdin } = host;
  for (const path of paths) {
    let bytes: Buffer;
    if (path === "-") {
      bytes = await readStandardInput(stdin(), (begun) =>
        claimsToBePlan(beginningOf(begun)) ? largestPlan : maxFileBytes,
      );
      const left = Object.assign(Readable.from([bytes]), { isTTY: stdin().isTTY === true });
      stdin = () => left;
    } else {
      // What cannot be read is reported when a roster is read from it.
      bytes = await beginningOfFile(resolve(host.cwd, path), 4096).catch(() => Buffer.alloc(0));
    }
    if (bytes.length > largestPlan || !claimsToBePlan(beginningOf(bytes))) continue;
    // What a pipeline names as a roster must not be able to become an approval: reading the roster tells.
    if (hasRosterName(path)) continue;
    if (paths.length > 1) {
      const message = `${path} is a plan file, which cannot be combined with other files.`;
      throw invalidSetting("usage", message, `Pass ${path} as the only path.`);
    }
    return { is: "plan", ...(await readSavedText(path, { ...host, stdin })) };
  }
  return { is: "no-plan", stdin };
}

export async function readSavedText(path: string, host: Host): Promise<SavedText> {
  const bytes = await readInput(path, { what: "plan", largest: largestPlan, hint: howToSave }, host);
  return { path, text: bytes.toString("utf8") };
}

const howToSave = "A plan is saved with `roster plan --out FILE` or `roster plan --format json > FILE`.";

export function checkPlanService({ service }: Plan, address: string): void {
  if (service === address) return;
  const message = `The plan is for the service ${service}, but this run uses ${address}.`;
  throw invalidSetting("other-service", message, "Set ROSTER_ENDPOINT to the service of the plan, or plan again.");
}

export function summaryOf({
  plan,
  basis,
  policy,
}: PlanFile): Required<Pick<CommandOutcome, "reading" | "roster" | "privilegedRoles">> {
  const { readAt, everyone, capabilities, roster } = basis;
  const { digest: _, ...counts } = roster;
  return {
    reading: { service: plan.service, readAt, everyone, capabilities, readings: new Map() },
    roster: counts,
    privilegedRoles: policy.privilegedRoles,
  };
}

/** The same for the same guards, wherever their lines are. */
export function guardsDigest({ guards }: Pick<Policy, "guards">): string {
  const { setAt: _, ...others }: GuardSettings = guards;
  return sha256(canonicalJson(others)).slice(0, 16);
}

/** What a text holds: a plan, and the plan file that it is in; a document that `--format json` printed has the plan alone. */
export async function readSavedPlan(saved: SavedText): Promise<{ readonly plan: Plan; readonly file?: PlanFile }> {
  if (isPlanFile(saved.text)) {
    const file = await readPlanFile(saved);
    return { plan: file.plan, file };
  }
  const { validPlanDocument } = await import("../codec/generated/plan.js");
  const decoded = decodePlanDocument(saved.text, validPlanDocument);
  const why = decoded.ok ? planFault(decoded.value, []) : decoded.error;
  if (decoded.ok && why === undefined) return { plan: decoded.value };
  const name = saved.path === "-" ? "Standard input" : saved.path;
  throw invalidSetting("bad-file", `${name} is not a plan: ${why}.`, howToSave);
}

export async function readPlanFile({ path, text }: SavedText): Promise<PlanFile> {
  const { validPlanFile } = await import("../codec/generated/plan-file.js");
  const decoded = decodePlanFile(text, validPlanFile);
  const fault = decoded.ok
    ? (planFault(decoded.value.plan, decoded.value.lessons) ?? wordsFault(decoded.value))
    : decoded.error;
  if (decoded.ok && fault === undefined) return decoded.value;
  const hint = "Plan again with `roster plan --out FILE`, and do not edit the file.";
  throw invalidSetting("bad-file", `${path} is not a usable plan file: ${fault}.`, hint);
}

/** An approval names the ID of a plan, and counts for its actions: the ID must be theirs. */
function planFault(plan: Plan, lessons: readonly PlanningEvent[]): string | undefined {
  if (planId(plan) !== plan.id) return "its plan ID is not the ID of its actions";
  return planContradiction(plan, lessons);
}

/** What a person has allowed is shown as flags, and counts as the plan has it. */
function wordsFault({ policy, plan }: PlanFile): string | undefined {
  const shown = policy.words.filter((word) => allowanceFlags.some((flag) => word.startsWith(flag)));
  const meant = formatAllowanceFlags(plan);
  if (shown.length !== meant.length || meant.some((word, at) => shown[at] !== word))
    return "it shows other exceptions than it allows";
  const open = (plan.allowed ?? []).find(({ code }) => needsReason(code));
  return open === undefined || plan.reason !== undefined ? undefined : `it allows ${open.code} without a reason`;
}
