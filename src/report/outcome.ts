import type { FleetSummary } from "../fleet/fleet-summary.ts";
import type { RunSummary } from "../log/summary.ts";
import type { Diagnostic, Problem } from "../model/failure.ts";
import type { Plan, RosterCounts } from "../model/plan.ts";
import type { ReadSummary } from "../model/snapshot.ts";
import type { LogHead } from "../model/state.ts";
import type { RoleSet } from "../model/values.ts";
import type { AccessMap } from "./access/access-map.ts";
import type { AuditReport } from "./document/audit.ts";
import type { DriftReport } from "./document/drift.ts";
import type { Paint } from "./document/tree.ts";
import type { DoctorReport, Explanation, PlanFileReport, StateReport } from "./json/document-format.ts";

type RosterCommand = "validate" | "plan" | "show" | "apply" | "drift";

export interface CommandOutcome {
  readonly command: RosterCommand | "doctor" | "state" | "audit" | "access" | "explain" | "fleet" | "roster";
  readonly exitCode: number;
  /** The name of this roster, where the results of several are shown in one place. */
  readonly title?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly problem?: Problem | undefined;
  readonly roster?: RosterCounts | undefined;
  readonly reading?: ReadSummary | undefined;
  readonly plan?: Plan | undefined;
  /** The plan is about a part of the roster: something was included or excluded. */
  readonly selected?: true | undefined;
  /** The command line that plans the same again, or enqueues what was given up: a printed command adds the codes that it allows. */
  readonly planAgain?: string | undefined;
  readonly view?: ViewName | undefined;
  /** Roles that let their holder administer others, as this run or the plan's file has them. */
  readonly privilegedRoles?: RoleSet | undefined;
  readonly planFile?: PlanFileReport | undefined;
  readonly drift?: DriftReport | undefined;
  readonly access?: AccessMap | undefined;
  readonly run?: RunSummary | undefined;
  readonly examination?: DoctorReport | undefined;
  readonly state?: StateReport | undefined;
  readonly audit?: AuditReport | undefined;
  readonly explanation?: Explanation | undefined;
  readonly fleet?: FleetReport | undefined;
  /** Where the log ends, where the command added to it. */
  readonly head?: LogHead | undefined;
  /** The command line that checks the log, up to the head. */
  readonly verify?: string | undefined;
}

export interface Rendered {
  readonly stdout: string;
  /** Markdown that a pipeline shows next to the log of the step. */
  readonly stepSummary?: string;
  /** What later steps of a pipeline may read, by name; values may hold line breaks. */
  readonly outputs?: ReadonlyMap<string, string>;
}

export interface TerminalStyle {
  readonly paint: Paint;
  /** How wide the terminal is that shows it; undefined where none does. */
  readonly columns?: number | undefined;
}

export interface RenderOptions extends TerminalStyle {
  /** What was already written as lines while the command worked. */
  readonly streamed?: { readonly plan?: string } | undefined;
  /** Milliseconds since the epoch. */
  readonly at?: number | undefined;
  readonly version?: string | undefined;
  /** A file of the roster as the repository around it names it, with slashes; undefined where it is outside. */
  readonly pathOf?: ((file: string) => string | undefined) | undefined;
}

export type Format = (outcome: CommandOutcome, options: RenderOptions) => Rendered | Promise<Rendered>;

export const viewNames = ["teams", "calls"] as const;

export type ViewName = (typeof viewNames)[number];

export type FleetReport =
  | {
      readonly did: "validated";
      readonly file: string;
      readonly targets: readonly { readonly name: string; readonly roster: RosterCounts }[];
    }
  | FleetSummary;
