import { type Command, Option } from "commander";
import type { Policy } from "../../model/policy.ts";
import { type CommandOutcome, viewNames } from "../../report/outcome.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import type { OutputFlags } from "./output-flags.ts";

/** Gives a command that shows a plan the choice of how its text is to be read. */
export function withView(command: Command): Command {
  const meaning = "how the text shows the plan: teams and people, who gains which access, calls, a Mermaid graph";
  return command.addOption(new Option("--view <name>", `${meaning} (default: teams)`).choices(viewNames));
}

/** How a plan is to be shown, as a command tells it and as a text of it is made. */
export function shownAs(
  { view }: Pick<OutputFlags, "view">,
  { privilegedRoles }: Pick<Policy, "privilegedRoles">,
): Pick<CommandOutcome, "view" | "privilegedRoles"> {
  return { privilegedRoles, ...(view === undefined ? {} : { view }) };
}

/** Refuses a view where nobody is shown the text of a plan: nothing that is said is passed over. */
export function refuseUnusedView(
  { view, format, report = [] }: OutputFlags,
  { asks }: { readonly asks: "somebody" | "nobody" },
): CommandError | undefined {
  const isText = [format, ...report.map((one) => one.format)].includes("text");
  if (view === undefined || isText || asks === "somebody") return undefined;
  return invalidSetting(
    "view-of-no-text",
    `--view ${view} says how the text of a plan is to be read, and --format ${format} shows none.`,
    "Leave it out, or add `--report text=FILE`.",
  );
}
