// A view's definition and the fields of the form, both ways. A field that was not touched keeps
// what was there, in the form in which it was written.

// The fields of the form besides name and query, with how each is shown and read.
const fields = {
    target_table: {show: String, read: text => text},
    target_partitioning: {show: showList, read: readList},
    refresh_interval_seconds: {show: String, read: readNumber},
    target_lag: {show: String, read: text => text},
    comment: {show: String, read: text => text}
}

export const fieldNames = Object.keys(fields)

// What is no number goes to the host as it is, which says best what it expects.
function readNumber(text) {
    return Number.isFinite(Number(text)) ? Number(text) : text
}

function showList(value) {
    return Array.isArray(value) ? value.join(', ') : String(value)
}

// "day(ts), bucket(symbol, 4)" → two; "ARRAY[…]" stays the text it is.
function readList(text) {
    if (/^\s*array\s*\[/i.test(text)) return text
    const parts = ['']
    let depth = 0
    for (const character of text) {
        if (character === '(') depth += 1
        if (character === ')') depth -= 1
        if (character === ',' && depth === 0) parts.push('')
        else parts[parts.length - 1] += character
    }
    return parts.map(part => part.trim()).filter(Boolean)
}

// What the form shows of a definition: {name, query, …fields, more: JSON of the rest}.
export function toForm(definition) {
    const form = {name: definition.name ?? '', query: (definition.query ?? '').replace(/\n+$/, '')}
    for (const [name, {show}] of Object.entries(fields))
        form[name] =
            definition[name] === undefined || definition[name] === null
                ? ''
                : show(definition[name])
    const known = new Set(['name', 'query', ...fieldNames])
    const rest = Object.entries(definition).filter(([name]) => !known.has(name))
    form.more = rest.length ? JSON.stringify(Object.fromEntries(rest), null, 2) : ''
    return form
}

function readMore(text) {
    if (!text.trim()) return {}
    let more
    try {
        more = JSON.parse(text)
    } catch (error) {
        throw new Error(`Other settings are not JSON: ${error.message}`)
    }
    if (more === null || typeof more !== 'object' || Array.isArray(more))
        throw new Error(
            'Other settings: expected a JSON object, such as {"incremental": "required"}'
        )
    return more
}

// The definition that the form says. Throws an Error where its JSON cannot be read.
export function toEntry(form, definition = {}) {
    const before = toForm(definition)
    const entry = {
        name: form.name.trim(),
        query: form.query === before.query ? (definition.query ?? '') : form.query
    }
    for (const [name, {read}] of Object.entries(fields)) {
        const text = form[name].trim()
        if (form[name] === before[name] && definition[name] !== undefined)
            entry[name] = definition[name]
        else if (text) entry[name] = read(text)
    }
    return {...entry, ...readMore(form.more)}
}
