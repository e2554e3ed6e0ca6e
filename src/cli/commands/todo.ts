import type { TodoFormat } from "../../report/drift.ts";
import { formatTodo, type TodoReport } from "../../report/todo.ts";
import { type Host, textStyleOf } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { runCommand } from "../session.ts";
import { type DriftFlags, findDifferences } from "./drift.ts";

export interface TodoFlags extends Pick<DriftFlags, "record"> {
  readonly format: TodoFormat;
}

/** Lists what is left to people: who, what, since when and until when. Reads and records as a drift does. */
export async function todo(paths: readonly string[], { format, ...flags }: TodoFlags, host: Host): Promise<number> {
  const output = { ...flags, format: "text" } as const;
  const result = await runCommand((open) => findDifferences("todo", paths, { flags: output, host, open }));
  return finish(listed(result, format, host), output, host);
}

/** Nothing but the list is printed and counted: differences that apply corrects are a matter of `roster drift`. */
function listed({ drift, plan, reading, ...result }: CommandResult, format: TodoFormat, host: Host): CommandResult {
  if (drift === undefined || plan === undefined) return result;
  const { record, todo: left } = drift;
  const report: TodoReport = {
    todo: left,
    plan,
    reading,
    ...(record.is === "not-recorded" ? { notRecorded: record.why } : {}),
  };
  return {
    ...result,
    remaining: { changes: 0, blocking: left.open.length },
    ownWords: { text: formatTodo(report, format, textStyleOf(host.stdout)) },
  };
}
