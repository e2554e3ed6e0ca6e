const millisecondsPerDay = 86_400_000;
const datePattern = /^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/;

/** Whether a text is a day of the calendar from 1900 on, written as in `2027-01-31`. Such texts sort as their days do. */
export function isDate(text: string): boolean {
  return datePattern.test(text) && normalizedDate(text) === text;
}

/** So many days after a date. */
export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * millisecondsPerDay).toISOString().slice(0, 10);
}

/** How many days lie between two dates: none on the same day, fewer than none where the second comes first. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / millisecondsPerDay);
}

/** What a date comes to, where days that a month has not got lead into the next. */
function normalizedDate(text: string): string | undefined {
  const [year, month, day] = text.split("-").map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}
