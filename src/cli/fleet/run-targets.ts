import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import type { Target } from "../../fleet/fleet-file.ts";
import type { FleetCommand, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { notStarted, shownAccess, statusOf } from "../../fleet/outcomes.ts";
import type { KeySource } from "../../library/connect.ts";
import { invalidSetting, stopError } from "../../library/error.ts";
import { sharedTransports } from "../../library/shared-connections.ts";
import { countOutcomes } from "../../log/summary.ts";
import { definedFields } from "../../model/collections.ts";
import { formatPlace, formatSubject } from "../../model/fact.ts";
import { type Finding, isOpenProblem } from "../../model/finding.ts";
import type { DriftItem } from "../../model/plan.ts";
import { isoTime } from "../../ports/clock.ts";
import { isHeld } from "../../report/access/access-map.ts";
import { accessNotes } from "../../report/document/access.ts";
import { countDrift } from "../../report/document/drift.ts";
import { changeTexts, formatTarget } from "../../report/document/fleet.ts";
import { safe } from "../../report/safe.ts";
import { access } from "../commands/access.ts";
import { apply } from "../commands/apply.ts";
import { drift } from "../commands/drift.ts";
import { plan } from "../commands/plan.ts";
import { type Host, newEventBuffer, type Output } from "../host.ts";
import { keyInFile, keyOfCommand } from "../open.ts";
import { type CommandResult, commandLine, type FinishedCommand, runCommand } from "../run-command.ts";
import type { Fleet, FleetFlags } from "./read-fleet.ts";
import { reportIn } from "./reports.ts";

const commands = { plan, drift, apply, access } as const;

export function openTargets(fleet: Fleet, host: Host) {
  const transports = sharedTransports(fleet.callsPerOrigin, host.openTransport);
  const { terminal: _, ...shared } = host;
  const silent: Output = { write: () => undefined, isTerminal: false, hasColours: false };
  const quiet = { stdin: () => Readable.from([]), stdout: silent, stderr: silent };
  const keys = new Set(fleet.all.map(({ key }) => key.env));
  const inherited = Object.entries(host.env).filter(([name]) => !notInherited.test(name) && !keys.has(name));
  const inside = { ...shared, ...quiet, env: Object.fromEntries(inherited) };
  return {
    /** Runs the command of one target as if it were run alone, and says on standard error what became of it. Never rejects. */
    async run(
      target: Target,
      command: FleetCommand,
      { report: directories = [], ...given }: Partial<FleetFlags>,
      { ended, ...own }: Partial<Pick<Host, "interruption" | "mayStart"> & { readonly ended: () => void }> = {},
    ): Promise<TargetOutcome> {
      const { name, roster, endpoint, state, account } = target;
      const started_at = isoTime(host.clock);
      // The access of a target stands in the summary alone.
      const reported = command === "access" ? [] : directories;
      const report = reported.map((one) => reportIn(one, `targets/${name}`, one.format));
      const again = ["apply", "--auto-approve", "--include", name];
      if (given.unmanaged === true) again.push("--unmanaged");
      const planAgain = fleetCommandLine(again, given, host);
      const ofTarget = { endpoint, state, account, title: name, planAgain, report };
      // Of a fleet, it says how many targets run at the same time.
      const flags = { ...given, ...ofTarget, parallelism: undefined, format: "text" } as const;
      const keySource = () => keySourceOf(target, fleet, host);
      const openTransport: typeof transports.open = (options) => {
        const { send } = transports.open(options);
        return { send: (...call) => send(...call).finally(ended), close: async () => undefined };
      };
      const ownHost = { ...inside, ...own, target: name, openTransport, keySource, live: newEventBuffer() };
      const run = runCommand(command, flags, ownHost, (running) => commands[command](running, roster, flags));
      const { result, exitCode } = await run.catch(defect);
      const counts = countsOf(result, given);
      // Somebody may have roles where not all was shown. Who is still a user may get them.
      const exit_code = command === "access" && exitCode === 0 && counts.problems > 0 ? 9 : exitCode;
      const status = statusOf(exit_code, counts);
      const outcome = {
        ...notStarted(target),
        status,
        exit_code,
        started_at,
        finished_at: isoTime(host.clock),
        ...counts,
        ...definedFields({ error: status === "failed" ? errorOf(result) : undefined }),
        reports: report.map(({ shown }) => shown),
      };
      host.stderr.write(`${safe(formatTarget(outcome, command))}\n`);
      return outcome;
    },
    close: async () => void (await transports.close()),
  };
}

export function fleetCommandLine(words: readonly string[], { fleet, queue }: Partial<FleetFlags>, host: Host): string {
  const given = Object.entries(definedFields({ fleet, queue }));
  return commandLine(["fleet", ...words, ...given.flatMap(([flag, said]) => [`--${flag}`, said])], host);
}

/** What a target has of its own, so that nothing of the fleet's environment stands in for it; and what a step of GitHub has once. */
const notInherited =
  /^(?:ROSTER_(?:ENDPOINT|API_KEY|API_KEY_FILE|STATE|ACCOUNT|KEY_.*)|GITHUB_(?:STEP_SUMMARY|OUTPUT))$/u;

/** A defect that one target meets ends no other. */
function defect(error: unknown): FinishedCommand {
  const stop = stopError("failed", "internal", `a defect of roster ended the command: ${error}`);
  return { result: { command: "fleet", tells: "success-only", diagnostics: [], stop }, exitCode: 1 };
}

function countsOf({ drift, plan, run, access }: CommandResult, { person }: Partial<FleetFlags>) {
  const done = run === undefined ? 0 : countOutcomes(run).succeeded;
  const { users = [], rows = [], gaps = [] } = access ?? {};
  const held = rows.filter(isHeld);
  const nothing = { privileged_gains: 0, changes: 0, done, ...(access && shownAccess(held, users)) };
  const planned = run === undefined ? plan : undefined;
  const detailsWith = (tasks: readonly Pick<Finding | DriftItem, "code" | "subject">[]) =>
    [...changeTexts(planned, drift), ...tasks.map((one) => `${formatSubject(one.subject)}: ${one.code}`)].slice(0, 20);
  if (drift !== undefined) {
    const { open } = drift.tasks;
    const tasks = open.slice(0, 20).map(({ code, subject, since, owner }) => {
      return { code, subject: formatSubject(subject), ...definedFields({ since, owner }) };
    });
    const { privilegedGains: privileged_gains, besidesGains } = countDrift(drift);
    return { ...nothing, ...besidesGains, privileged_gains, details: detailsWith(open), tasks };
  }
  if (plan === undefined && access !== undefined) {
    const unread = gaps.length + held.filter((row) => row.not_shown !== undefined).length;
    return { ...nothing, problems: unread + (person === undefined ? 0 : users.length), details: accessNotes(access) };
  }
  const problems = [...(plan?.findings ?? []), ...(run?.findings ?? [])].filter(isOpenProblem);
  const changes = planned?.actions.length ?? 0;
  return { ...nothing, changes, problems: problems.length, details: detailsWith(problems) };
}

function errorOf({ stop, run }: CommandResult): TargetOutcome["error"] {
  const failed = [...(run?.outcomes.values() ?? [])].find((one) => one.is === "failed" || one.is === "unknown");
  const first = stop ?? failed?.failure;
  const at = stop?.place === undefined ? "" : `${formatPlace(stop.place)}: `;
  return first && { code: first.code, message: `${at}${first.message}` };
}

function keySourceOf({ name, key }: Target, { path }: Fleet, { env, cwd }: Host): KeySource {
  if (key.file !== undefined) return keyInFile(key.file, cwd);
  if (key.command !== undefined) return keyOfCommand(key.command, resolve(cwd, dirname(path)));
  const variable = key.env ?? "";
  const text = env[variable] ?? "";
  if (text !== "") return { name: variable, ask: async () => text };
  throw invalidSetting("no-key", `The key of ${name} is in ${variable}, which is not set.`, `Set ${variable}.`);
}
