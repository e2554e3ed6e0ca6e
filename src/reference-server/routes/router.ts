import { quoted, type Refusal, refuse } from "../responses/reply.ts";

/** A method and a path; one of its segments may be `*`, which stands for what the path names. */
export interface RoutePattern {
  readonly method: string;
  readonly path: string;
}

/** The route of a request, and what its path names. */
export interface RouteMatch<R> {
  readonly route: R;
  readonly pathParameter: string;
}

/** Finds the route of a request: 404 where no route has the path, 405 where none has the method. */
export function makeRouter<R extends RoutePattern>(
  routes: readonly R[],
): (method: string, path: string) => RouteMatch<R> | Refusal {
  const patterns = routes.map((route) => ({ route, segments: route.path.split("/") }));
  return (method, path) => {
    const segments = decodeSegments(path);
    if (segments === undefined) return refuse(400, `The path is not encoded as it must be: ${quoted(path)}`);
    const fitting = patterns.filter((pattern) => matchesPath(pattern.segments, segments));
    if (fitting.length === 0) return refuse(404, `There is no route ${quoted(path)}`);
    const chosen = fitting.find((pattern) => pattern.route.method === method);
    if (chosen !== undefined)
      return { route: chosen.route, pathParameter: segments[chosen.segments.indexOf("*")] ?? "" };
    const allow = fitting.map((pattern) => pattern.route.method).join(", ");
    return refuse(405, `The route ${quoted(path)} does not know the method ${method}; it knows ${allow}`, { allow });
  };
}

function matchesPath(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.length === segments.length && pattern.every((step, index) => step === "*" || step === segments[index]);
}

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

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
