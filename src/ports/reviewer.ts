import type { Plan } from "../model/plan.ts";

/** Who approves a plan before it is applied. */
export interface Reviewer {
  approve(plan: Plan): Promise<Approval>;
}

export type Approval =
  | { readonly approved: true }
  | { readonly approved: false; readonly code: RefusalCode; readonly why: string; readonly hint?: string };

/** `declined`: a person read the plan and said no. `not-approved`: nobody could be asked. */
export type RefusalCode = "declined" | "not-approved";
