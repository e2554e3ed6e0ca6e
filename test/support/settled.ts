import { RosterError } from "../../src/library/error.ts";
import { problem, type Result, success } from "../../src/model/result.ts";

/** What work came to, or the error that it threw. A defect is thrown on. */
export async function settled<T>(work: () => T | Promise<T>): Promise<Result<T, RosterError>> {
  try {
    return success(await work());
  } catch (error) {
    if (error instanceof RosterError) return problem(error);
    throw error;
  }
}

export async function errorOf(work: () => unknown): Promise<RosterError> {
  const result = await settled(work);
  if (result.ok) throw new Error("There was no error.");
  return result.error;
}
