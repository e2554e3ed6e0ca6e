import type { RunFlags } from "../library/policy.ts";
import type { OutputFlags } from "./output/output-flags.ts";

type TextFlag =
  | ("account" | "endpoint" | "parallelism" | "state" | "deadline" | "from" | "out" | "expectPlan" | "expectHead")
  | ("sequence" | "lockTimeout" | "breakStaleLock" | "since" | "asOf")
  /** What `planAgain` prints where another command runs this one. */
  | "planAgain";

type SwitchFlag = "debug" | "unmanaged" | "detailedExitcode" | "autoApprove" | "onlyNew" | "record";

/** The flags of commands, as they were written. `command-line/command-texts.ts` says which command takes which, and what it means. */
export type Flags = OutputFlags &
  RunFlags & { readonly [Name in TextFlag]?: string | undefined } & {
    readonly [Name in SwitchFlag]?: boolean | undefined;
  } & { readonly [Name in "repair" | "only"]?: readonly string[] | undefined };

export type SomeFlags = Partial<Omit<Flags, "format" | "report">>;
