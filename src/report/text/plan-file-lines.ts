import type { PlanFileReport } from "../plan-file-told.ts";
import { formatRosterCounts } from "../roster-words.ts";
import { joinSections, type Line, prose } from "./lines.ts";

/** The lines of a plan, with what there is to say of its file. */
export function withPlanFileLines(plan: readonly Line[], told: PlanFileReport): readonly Line[] {
  return told.is === "written" ? joinSections([plan, savedPlanLines(told)]) : joinSections([planFileLines(told), plan]);
}

/** Where it comes from and how long it is good for. */
function planFileLines({ file, is }: PlanFileReport): readonly Line[] {
  const { roster, state } = file.basis;
  const version = state === "none" ? "without a state" : `with version ${state.serial} of the state ${state.lineage}`;
  const words = file.policy.words.length === 0 ? "" : `, with ${file.policy.words.join(" ")}`;
  return [
    prose(0, `Plan file ${file.id}, made at ${file.madeAt} by roster ${file.madeBy}${words}.`, "dim"),
    prose(0, `It is for the roster ${roster.digest} (${formatRosterCounts(roster)}), ${version}.`, "dim"),
    is === "shown-expired"
      ? prose(0, `It expired at ${file.expiresAt}, and is not applied any more.`, "alarm")
      : prose(0, `It is applied once, until ${file.expiresAt}.`, "dim"),
  ];
}

/** That a plan was saved, and what to do with it. */
function savedPlanLines({ path, file }: PlanFileReport): readonly Line[] {
  return [prose(0, `Saved: \`roster apply ${shellQuote(path)}\` does just this, once, until ${file.expiresAt}.`)];
}

/** A path as one word of a shell's command. */
function shellQuote(path: string): string {
  return /^[\w@%+=:,./-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
