import { installedPackage } from "../../src/cli/system.ts";

/** The only place where anything is masked: what no seam fixes, what differs between machines, and secrets. */
export function steady(text: string, directory: string): string {
  return text
    .replaceAll(directory, "<directory>")
    .replaceAll(installedPackage().directory, "<package>")
    .replace(/"secret":"\w+"/gu, '"secret":"<secret>"')
    .replace(/http:\/\/127\.0\.0\.1:\d+/gu, "http://127.0.0.1:<port>");
}
