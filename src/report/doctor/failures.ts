import type { Failure } from "../../model/result.ts";
import type { DoctorObservations } from "./seen.ts";

/** Every failed reading without which no plan can be made, in the order in which they were tried. */
export function readFailures({ roles, details, list, search }: DoctorObservations): readonly Failure[] {
  const readings = [roles, ...details.map(({ reading }) => reading), list, search?.reading];
  return readings.flatMap((reading) => (reading === undefined || reading.ok ? [] : [reading.error]));
}
