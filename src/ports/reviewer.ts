import type { Plan } from "../model/plan.ts";

/** Who approves a plan before it is applied. */
export interface Reviewer {
  approve(plan: Plan): Promise<Approval>;
}

export type Approval =
  | { readonly approved: true }
  | { readonly approved: false; readonly why: string; readonly hint?: string };
