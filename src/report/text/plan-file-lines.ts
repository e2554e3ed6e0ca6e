import type { PlanFileTold } from "../plan-file-told.ts";
import { rosterWords } from "../roster-words.ts";
import { type Line, prose, stacked } from "./lines.ts";

/** The lines of a plan, with what there is to say of its file. */
export function withPlanFile(plan: readonly Line[], told: PlanFileTold): readonly Line[] {
  return told.is === "written" ? stacked([plan, writtenLines(told)]) : stacked([fileLines(told), plan]);
}

/** Where it comes from and how long it is good for. */
function fileLines({ file, is }: PlanFileTold): readonly Line[] {
  const { roster, state } = file.basis;
  const version = state === "none" ? "without a state" : `with version ${state.serial} of the state ${state.lineage}`;
  const words = file.policy.words.length === 0 ? "" : `, with ${file.policy.words.join(" ")}`;
  return [
    prose(0, `Plan file ${file.id}, made at ${file.madeAt} by roster ${file.madeBy}${words}.`, "dim"),
    prose(0, `It is for the roster ${roster.digest} (${rosterWords(roster)}), ${version}.`, "dim"),
    is === "shown-expired"
      ? prose(0, `It expired at ${file.expiresAt}, and is not applied any more.`, "alarm")
      : prose(0, `It is applied once, until ${file.expiresAt}.`, "dim"),
  ];
}

/** That a plan was saved, and what to do with it. */
function writtenLines({ path, file }: PlanFileTold): readonly Line[] {
  return [prose(0, `Saved: \`roster apply ${asWord(path)}\` does just this, once, until ${file.expiresAt}.`)];
}

/** A path as one word of a shell's command. */
function asWord(path: string): string {
  return /^[\w@%+=:,./-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
