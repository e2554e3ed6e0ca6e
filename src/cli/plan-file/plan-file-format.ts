import type { PlanFileFormat } from "../../codec/plan-file.ts";
import { planPart } from "../../report/json/plan.ts";
import { sha256 } from "../system.ts";

export const planFileFormat: PlanFileFormat = { digest: sha256, planFields: planPart };
