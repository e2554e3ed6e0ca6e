import { quoted, type Refusal, refuse } from "./reply.ts";

/** A parameter's one value, undefined where it is not given, a 400 where it is given twice. */
export function singleValue(query: URLSearchParams, name: string): string | undefined | Refusal {
  const values = query.getAll(name);
  if (values.length > 1) return badParameter(name, values.join(", "), "is given more than once");
  return values[0];
}

/** A 400 that names the parameter, its value and what is wrong with it. */
export function badParameter(name: string, value: string, problem: string): Refusal {
  return refuse(400, `The query parameter ${name} ${problem}: ${quoted(value)}`);
}
