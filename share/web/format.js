// Numbers, times and places as people read them.

import {el, setAttribute, setText} from './dom.js'

export const NONE = '–'

const counts = new Intl.NumberFormat('en')

export function count(number) {
    return Number.isFinite(number) ? counts.format(number) : NONE
}

export function counted(number, singular, plural = `${singular}s`) {
    return `${count(number)} ${number === 1 ? singular : plural}`
}

// "0.42 s", "12 s", "3 min 20 s", "2 h 5 min", "3 d 4 h"
export function duration(seconds) {
    if (!Number.isFinite(seconds)) return NONE
    if (seconds < 0.0005) return '0 s'
    if (seconds < 1) return `${seconds.toFixed(seconds < 0.1 ? 3 : 2)} s`
    if (seconds < 10 && !Number.isInteger(seconds)) return `${seconds.toFixed(1)} s`
    const whole = Math.round(seconds)
    if (whole < 60) return `${whole} s`
    if (whole < 3600) return pair(whole, 60, 'min', 1, 's')
    if (whole < 86400) return pair(whole, 3600, 'h', 60, 'min')
    return pair(whole, 86400, 'd', 3600, 'h')
}

function pair(seconds, large, largeUnit, small, smallUnit) {
    const rest = Math.floor((seconds % large) / small)
    const first = `${Math.floor(seconds / large)} ${largeUnit}`
    return rest ? `${first} ${rest} ${smallUnit}` : first
}

// The host's clock, as far as its answers tell: a browser's own may be wrong.
let clockOffset = 0

export function hostTold(dateHeader) {
    const told = Date.parse(dateHeader ?? '')
    // The header counts whole seconds, and an answer travels: less than this is no difference.
    if (Number.isFinite(told))
        clockOffset = Math.abs(told - Date.now()) > 5000 ? told - Date.now() : 0
}

export function now() {
    return Date.now() + clockOffset
}

// "12 s ago", "in 3 min", "just now"
export function relative(time, reference = now()) {
    const at = Date.parse(time ?? '')
    if (!Number.isFinite(at)) return NONE
    const seconds = (reference - at) / 1000
    const size = Math.abs(seconds)
    if (size < 2) return 'just now'
    const text =
        size < 60
            ? `${Math.floor(size)} s`
            : size < 3600
              ? `${Math.floor(size / 60)} min`
              : size < 86400
                ? `${Math.floor(size / 3600)} h`
                : `${Math.floor(size / 86400)} d`
    return seconds > 0 ? `${text} ago` : `in ${text}`
}

export function exact(time) {
    const at = new Date(time ?? NaN)
    return Number.isNaN(at.getTime())
        ? ''
        : `${at
              .toISOString()
              .replace('T', ' ')
              .replace(/\.000Z$|Z$/, '')} UTC`
}

// A <time> that says how long ago it was, and exactly when in its title.
export function timeElement(time) {
    return showTime(el('time'), time)
}

export function showTime(element, time) {
    setAttribute(element, 'datetime', time || null)
    setAttribute(element, 'title', exact(time) || null)
    setText(element, time ? relative(time) : 'never')
    return element
}

// Brings every <time> below `root` up to now.
export function ageTimes(root) {
    for (const element of root.querySelectorAll('time[datetime]'))
        setText(element, relative(element.getAttribute('datetime')))
}

// "[2024-01-01, 2024-01-02)"; a bound that is null is open.
export function range({from, to}) {
    if (from == null && to == null) return 'everything'
    if (from == null) return `before ${to}`
    if (to == null) return `from ${from}`
    return `${from} … ${to}`
}

export function ranges(refresh) {
    const parts = (refresh.ranges ?? []).map(range)
    if (refresh.null_bucket) parts.push('NULL')
    return parts
}

// "line 3, column 12", or "views.yaml:3:12"; nothing where the place is not known.
export function place(problem) {
    if (problem?.file) return [problem.file, problem.line, problem.column].filter(Boolean).join(':')
    if (!problem?.line) return ''
    return problem.column
        ? `line ${problem.line}, column ${problem.column}`
        : `line ${problem.line}`
}

// What a problem says, in one text: its place, its message and its next step.
export function problemText(problem) {
    if (typeof problem === 'string') return problem
    const at = place(problem)
    const message = problem?.message ?? problem?.code ?? 'an error without a message'
    return [at ? `${at}: ${message}` : message, problem?.hint]
        .filter(Boolean)
        .join('. ')
        .replace(/([.!?…])\. /g, '$1 ')
}

// The address, where a browser may follow it: an API's text is not trusted with other schemes.
export function safeUrl(text) {
    try {
        const url = new URL(text)
        return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null
    } catch {
        return null
    }
}
