import type { RunEvent } from "../model/event.ts";
import type { Plan } from "../model/plan.ts";

/** Follows a command while it reads, plans and runs. Nothing that it is told of waits for it. */
export interface ProgressObserver {
  read(step: ReadStep): void;
  /** The plan is made, and nothing of it was done yet. */
  planned(plan: Plan): void;
  /** Somebody is about to be asked, and needs the terminal: nothing of what was read is shown any more. */
  asking(): void;
  event(event: RunEvent): void;
  /** The work is done or was given up; resolves when nothing more of it is shown. */
  end(): Promise<void>;
}

export interface ReadStep {
  /** Such as `users listed` or `addresses searched`. */
  readonly what: string;
  readonly done: number;
  readonly of?: number | undefined;
}
