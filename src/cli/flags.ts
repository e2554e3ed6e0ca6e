import type { RunFlags } from "../library/policy.ts";
import type { OutputFlags } from "./output/output-flags.ts";

/** The flags of commands, as they were written. `command-line/command-texts.ts` says which command takes which, and what it means. */
export interface Flags extends OutputFlags, RunFlags {
  readonly account?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly parallelism?: string | undefined;
  readonly state?: string | undefined;
  readonly debug?: boolean | undefined;
  readonly deadline?: string | undefined;
  readonly unmanaged?: boolean | undefined;
  readonly from?: string | undefined;
  readonly out?: string | undefined;
  readonly detailedExitcode?: boolean | undefined;
  readonly autoApprove?: boolean | undefined;
  readonly expectPlan?: string | undefined;
  readonly expectHead?: string | undefined;
  readonly sequence?: string | undefined;
  readonly lockTimeout?: string | undefined;
  readonly breakStaleLock?: string | undefined;
  readonly onlyNew?: boolean | undefined;
  readonly record?: boolean | undefined;
  readonly repair?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly asOf?: string | undefined;
  readonly only?: readonly string[] | undefined;
  /** What `planAgain` prints where another command runs this one. */
  readonly planAgain?: string | undefined;
}

export type SomeFlags = Partial<Omit<Flags, "format" | "report">>;
