import type { PlanFileFormat } from "../../codec/plan-file.ts";
import { planPart } from "../../report/plan-json.ts";
import { sha256 } from "../system.ts";

export const planFileFormat: PlanFileFormat = { digest: sha256, planFields: planPart };
