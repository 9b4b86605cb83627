// What the host tells of migrations: for each namespace where it stands, who is at work, what failed
// or died, its migrations, and its last events. Asked for only while it is looked at.

import * as api from './api.js'
import {KeyedElements, arrange, el, newId, setAttribute, setHidden, setText} from './dom.js'
import {counted, duration, exact, now, problemText, timeElement} from './format.js'
import {keyOf, still, table} from './table.js'

const VIEWS_NAMED = 20

const migrationStatuses = {
    applied: ['applied', 'good'],
    rolled_back: ['rolled back', 'muted'],
    failed: ['failed', 'wrong']
}

function numberText(version) {
    return version ? String(version).padStart(4, '0') : ''
}

// A command as a shell takes it, whatever the namespace is called.
function command(text, namespace) {
    const name = /^[\w.-]+$/.test(namespace) ? namespace : `'${namespace.replaceAll("'", "'\\''")}'`
    return el('code', {}, `ivmctl ${text}${namespace === 'default' ? '' : ` --namespace ${name}`}`)
}

function beginning(namespace) {
    return [
        'To begin, ',
        command('migrate init', namespace),
        ' makes the folder, ',
        command('migrate revision -m TEXT', namespace),
        ' writes a file into it, and ',
        command('migrate upgrade', namespace),
        ' applies it.'
    ]
}

function migrationRow({version, description, status, applied_at}) {
    const [text, look] = migrationStatuses[status] ?? [status, '']
    return still(
        el(
            'tr',
            {},
            el('td', {}, numberText(version)),
            el('td', {}, description),
            el('td', {class: `nowrap ${look}`}, text),
            el('td', {class: 'nowrap'}, timeElement(applied_at))
        )
    )
}

// What went wrong, of an event's detail: an object as text, or nothing.
function errorOf(detail) {
    try {
        const {error} = JSON.parse(detail)
        return typeof error === 'string' ? error : ''
    } catch {
        return ''
    }
}

function eventRow({at, version, event, step, actor, host, tool_version, detail}) {
    const error = errorOf(detail)
    const where = [host, tool_version].filter(Boolean).join(', ')
    return still(
        el(
            'tr',
            {},
            el('td', {class: 'nowrap'}, timeElement(at)),
            el('td', {}, numberText(version)),
            el('td', {class: error ? 'nowrap wrong' : 'nowrap'}, event.replaceAll('_', ' ')),
            el('td', {class: 'number'}, step || ''),
            el('td', {title: where || null}, actor),
            el('td', {class: 'wrong lines'}, error)
        )
    )
}

// A run that holds the lock and renews it is at work; any other that is open failed or died.
function standing({open, lock, current}) {
    if (open && (open.error || !lock || lock.stale))
        return {status: 'error', text: open.error ? '▲ failed' : '▲ did not end'}
    if (lock && !lock.stale) return {status: 'refreshing', text: '↻ at work'}
    return current ? {status: 'idle', text: '● idle'} : {status: 'pending', text: '○ empty'}
}

class Namespace {
    constructor({namespace}) {
        this.name = namespace
        this.title = el('h3', {id: newId('namespace')}, namespace)
        this.badge = el('span', {class: 'badge'})
        this.about = el('p', {class: 'muted'})
        this.views = el('p', {class: 'owned'})
        this.trouble = el('p', {class: 'trouble'})
        this.lock = el('p', {class: 'note'})
        this.nothing = el('p', {}, beginning(namespace))
        this.migrations = this.#table('Migrations', migrationRow, [
            ['Version'],
            ['Description'],
            ['Status'],
            ['When']
        ])
        this.events = this.#table('Last events', eventRow, [
            ['When'],
            ['Version'],
            ['Event'],
            ['Step', true],
            ['By'],
            ['Error']
        ])
        this.element = el(
            'li',
            {class: 'namespace'},
            el(
                'article',
                {'aria-labelledby': this.title.id},
                el('div', {class: 'names'}, this.title, this.badge),
                this.about,
                this.views,
                this.trouble,
                this.lock,
                this.nothing,
                this.migrations.element,
                this.events.element
            )
        )
    }

    // A titled table of rows, the last of those told first; hidden while there are none.
    #table(title, makeRow, headings) {
        const {element: scroller, body} = table(`${title} of ${this.name}`, headings)
        const element = el('div', {}, el('h4', {}, title), scroller)
        const rows = new KeyedElements(makeRow)
        return {
            element,
            update(values) {
                setHidden(element, values.length === 0)
                const parts = rows.update([...values].reverse(), keyOf)
                arrange(body, parts.map(part => part.element))
            }
        }
    }

    update(told) {
        const {status, text} = standing(told)
        const applied = told.applied.filter(migration => migration.status === 'applied').length
        setAttribute(this.element, 'data-status', status)
        setText(this.badge, text)
        setText(
            this.about,
            told.current
                ? `At version ${numberText(told.current)}, ${counted(applied, 'migration')} applied`
                : 'Nothing is applied.'
        )
        this.#showViews(told.views ?? [])
        this.#showTrouble(status === 'error' ? told.open : null)
        this.#showLock(told.lock)
        setHidden(this.nothing, status !== 'pending')
        this.migrations.update(told.applied)
        this.events.update(told.events)
    }

    // Writes `parts` into the paragraph where `value` is not what it shows.
    #show(paragraph, value, parts) {
        const wanted = JSON.stringify(value)
        if (paragraph.told === wanted) return
        paragraph.told = wanted
        setHidden(paragraph, parts.length === 0)
        paragraph.replaceChildren(...parts)
    }

    #showViews(names) {
        const links = names
            .slice(0, VIEWS_NAMED)
            .flatMap(name => [', ', el('a', {href: `#${new URLSearchParams({view: name})}`}, name)])
        const rest = names.length - VIEWS_NAMED
        this.#show(
            this.views,
            names,
            names.length
                ? ['Owns ', ...links.slice(1), rest > 0 ? ` and ${counted(rest, 'more view')}` : '']
                : []
        )
    }

    #showTrouble(open) {
        const parts = () => [
            `${open.text.replace(/\.$/, '')}. Next: `,
            command('migrate repair', this.name),
            ' tells what it left, and mends it.'
        ]
        this.#show(this.trouble, open, open ? parts() : [])
    }

    #showLock(lock) {
        const parts = () => [
            `${lock.doing || 'a run'}, by ${lock.owner}, began `,
            timeElement(lock.since),
            ...(lock.stale ? this.#staleText(lock) : ['.'])
        ]
        setAttribute(this.lock, 'class', lock?.stale ? 'note' : 'note work')
        const shown = lock && {...lock, age_seconds: lock.stale ? lock.age_seconds : null}
        this.#show(this.lock, shown, lock ? parts() : [])
    }

    #staleText({age_seconds}) {
        return [
            `. It has given no sign of life for ${duration(age_seconds)}: the next run takes its ` +
                'lock over, or ',
            command('migrate unlock', this.name),
            ' frees it.'
        ]
    }
}

export class Migrations {
    // list: of the namespaces; note: why they are not shown, or are old; empty: in their place.
    constructor(list, note, empty) {
        Object.assign(this, {list, note, empty})
        this.empty.append(el('p', {}, 'No migration has been applied.'))
        this.empty.append(el('p', {}, beginning('default')))
        this.namespaces = new KeyedElements(told => new Namespace(told))
        this.lastAnswer = null
    }

    // Once at a time: reading a history may take the host longer than the page waits between.
    async ask() {
        if (this.asking) return
        this.asking = true
        try {
            this.#show(await api.migrations())
            this.lastAnswer = now()
            setText(this.note, '')
        } catch (error) {
            this.#showFailure(error)
        }
        this.asking = false
    }

    #show({namespaces, events}) {
        const told = namespaces.map(one => ({
            ...one,
            events: events.filter(event => event.namespace === one.namespace)
        }))
        arrange(
            this.list,
            this.namespaces.update(told, one => one.namespace).map(part => part.element)
        )
        setHidden(this.empty, told.length > 0)
    }

    #showFailure(error) {
        setAttribute(this.note, 'class', 'note')
        if (error.status === 404) {
            setText(this.note, 'This host knows no migrations: it is older than this page.')
            setHidden(this.empty, true)
            arrange(this.list, [])
            return
        }
        const since = this.lastAnswer ? ` What is shown is from ${exact(this.lastAnswer)}.` : ''
        const reason = problemText(error).replace(/[.!]$/, '')
        setText(this.note, `The migrations cannot be shown: ${reason}.${since}`)
    }
}
