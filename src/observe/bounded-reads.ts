import pLimit from "p-limit";
import { type Failure, problem, type Result, success } from "../model/result.ts";

/** Runs reads, so many at once; what is still waiting when one fails is not sent any more. */
export type BoundedReads = <T>(
  reads: readonly (() => Promise<Result<T, Failure>>)[],
) => Promise<Result<readonly T[], Failure>>;

export function boundedReads(parallelism: number): BoundedReads {
  const limit = pLimit(Math.max(1, parallelism));
  return async (reads) => {
    let failure: Failure | undefined;
    const settle = async (read: (typeof reads)[number]) => {
      if (failure !== undefined) return problem(failure);
      const result = await read();
      if (!result.ok) failure ??= result.error;
      return result;
    };
    const results = await Promise.all(reads.map((read) => limit(settle, read)));
    if (failure !== undefined) return problem(failure);
    return success(results.flatMap((result) => (result.ok ? [result.value] : [])));
  };
}
