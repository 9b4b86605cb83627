// One view on the page: what it is, how it does, what can be done with it.

import {Panels} from './panels.js'
import {el, newId, setAttribute, setHidden, setText} from './dom.js'
import {count, duration, problemText, showTime} from './format.js'
import {sparkline} from './chart.js'

const statuses = {
    pending: {mark: '○', text: 'pending', about: 'not refreshed yet'},
    idle: {mark: '●', text: 'idle', about: 'exact, and nothing to do'},
    refreshing: {mark: '↻', text: 'refreshing', about: 'a refresh is running'},
    error: {mark: '▲', text: 'error', about: 'the last refresh failed; it is tried again'},
    refused: {mark: '✕', text: 'refused', about: 'its definition is not accepted'}
}

const waitingTexts = {
    waiting: 'waiting for its interval or its sources',
    queued: 'queued behind other refreshes',
    running: 'a refresh is running',
    failing: 'its refreshes fail'
}

const owners = {
    file: ['file', 'defined in the views file'],
    api: ['page', 'made on this page or through the API'],
    migration: ['migration', 'defined by a migration']
}

function stat(title) {
    const value = el('dd')
    return {value, element: el('div', {class: 'stat'}, el('dt', {}, title), value)}
}

// "main.flights, main.airports → main.departures": the driving source first.
function showFlow(element, view) {
    const sources = view.sources?.length ? view.sources : [view.source].filter(Boolean)
    const ordered = [...new Set([view.source, ...sources].filter(Boolean))]
    const from = ordered.length ? ordered.join(', ') : 'unknown source'
    setText(element, `${from} → ${view.target ?? 'no target'}`)
    setAttribute(element, 'title', element.textContent)
}

// What is wrong, once: the place and the hint come with the problem, the text with the error.
function troubleText(view) {
    const {error, problem} = view
    if (!problem) return typeof error === 'object' && error ? problemText(error) : (error ?? '')
    const whole = problemText(problem)
    return error &&
        typeof error === 'string' &&
        !error.includes(problem.message) &&
        !whole.includes(error)
        ? `${error} (${whole})`
        : whole
}

export class Card {
    // actions: {refresh, edit, remove, lineage}, each (view, card), and opened(view, open).
    constructor(view, actions) {
        this.view = view
        this.actions = actions
        this.busy = false
        this.#makeHead()
        this.#makeStats()
        this.#makeButtons()
        this.panels = new Panels(view)
        this.panels.buttons.append(this.lineageButton)
        this.trouble = el('p', {class: 'trouble', hidden: true})
        this.note = el('p', {class: 'note', hidden: true})
        this.nextTry = el('time')
        this.element = el(
            'li',
            {class: 'card', 'data-view': view.name},
            el(
                'article',
                {'aria-labelledby': this.title.id},
                el('div', {class: 'band'}, this.head, this.spark, this.stats, this.buttons),
                this.trouble,
                this.note,
                this.panels.buttons,
                this.panels.element
            )
        )
    }

    #makeHead() {
        this.badge = el('span', {class: 'badge'})
        this.link = el(
            'a',
            {
                href: `#${new URLSearchParams({view: this.view.name})}`,
                onclick: event => this.#follow(event)
            },
            this.view.name
        )
        this.title = el('h3', {id: newId('view')}, this.link)
        this.strategy = el('span', {class: 'tag'})
        this.owner = el('span', {class: 'tag'})
        this.flow = el('p', {class: 'flow'})
        this.comment = el('p', {class: 'comment'})
        this.head = el(
            'div',
            {class: 'head'},
            el('div', {class: 'names'}, this.title, this.badge, this.strategy, this.owner),
            this.flow,
            this.comment
        )
        this.spark = el('div', {class: 'sparkbox'})
    }

    // The name is a link that leads here from elsewhere; here it opens and closes.
    #follow(event) {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        const open = !this.panels.isOpen('refreshes')
        this.panels.open('refreshes', open)
        this.actions.opened(this.view, open)
    }

    #makeStats() {
        this.refreshes = stat('Refreshes')
        this.duration = stat('Duration')
        this.interval = stat('Interval')
        this.last = stat('Last refresh')
        this.lag = stat('Lag')
        this.errors = stat('Errors')
        this.lastTime = el('time')
        this.lastAction = el('span', {class: 'muted'})
        this.last.value.append(this.lastTime, ' ', this.lastAction)
        this.stats = el(
            'dl',
            {class: 'stats'},
            [this.refreshes, this.duration, this.interval, this.last, this.lag, this.errors].map(
                part => part.element
            )
        )
    }

    #makeButtons() {
        const button = (text, name, extra = '') =>
            el(
                'button',
                {
                    type: 'button',
                    class: `small ${extra}`,
                    'data-action': name,
                    'aria-label': `${text} ${this.view.name}`,
                    onclick: () => this.#act(name)
                },
                text
            )
        this.refreshButton = button('Refresh', 'refresh')
        this.editButton = button('Edit', 'edit')
        this.deleteButton = button('Delete', 'remove', 'danger')
        this.lineageButton = button('Lineage', 'lineage', 'opener')
        this.buttons = el(
            'div',
            {class: 'buttons'},
            this.refreshButton,
            this.editButton,
            this.deleteButton
        )
    }

    // What a migration made stands as it is; refreshing changes no definition.
    #act(name) {
        const isFixed = this.view.owner === 'migration' && (name === 'edit' || name === 'remove')
        if (!isFixed) this.actions[name](this.view, this)
    }

    // readOnly: whether the host takes no changes.
    update(view, readOnly = false) {
        this.view = view
        this.#showHead()
        this.#showStats()
        this.#showTrouble()
        this.#showButtons(readOnly)
        this.panels.update(view)
    }

    // Those that a migration forbids can still be reached, to be told why.
    #showButtons(readOnly) {
        const {owner, migration} = this.view
        const why =
            owner === 'migration'
                ? `Owned by ${migration ?? 'a migration'}: change it by another migration, made ` +
                  "with 'ivmctl migrate revision'"
                : null
        for (const button of [this.editButton, this.deleteButton]) {
            setHidden(button, readOnly)
            setAttribute(button, 'aria-disabled', why ? 'true' : null)
            setAttribute(button, 'title', why)
        }
        setHidden(this.refreshButton, readOnly)
    }

    #showHead() {
        const {view} = this
        const status = statuses[view.status] ?? {
            mark: '?',
            text: view.status ?? 'unknown',
            about: ''
        }
        setAttribute(this.element, 'data-status', view.status)
        setText(this.badge, `${status.mark} ${status.text}`)
        setAttribute(this.badge, 'title', status.about)
        setText(this.strategy, view.strategy)
        setHidden(this.strategy, !view.strategy)
        const [owner, about] = owners[view.owner] ?? [view.owner, '']
        setText(this.owner, view.migration ?? owner)
        setAttribute(this.owner, 'title', about)
        setHidden(this.owner, !view.owner || view.owner === 'file')
        setText(this.comment, view.definition?.comment)
        setHidden(this.comment, !view.definition?.comment)
        showFlow(this.flow, view)
        this.#showSpark()
    }

    #showSpark() {
        const history = this.view.history ?? []
        const drawn = JSON.stringify(
            history.map(({started, seconds, action}) => [started, seconds, action])
        )
        if (drawn === this.drawn) return
        this.drawn = drawn
        this.spark.replaceChildren(...(history.length ? [sparkline(history)] : []))
    }

    #showStats() {
        const {view} = this
        setText(this.refreshes.value, count(view.refreshes))
        setText(this.duration.value, duration(view.last_duration_seconds ?? NaN))
        setText(this.interval.value, duration(view.refresh_interval_seconds ?? NaN))
        showTime(this.lastTime, view.last_refresh)
        setText(
            this.lastAction,
            view.last_action && view.last_action !== 'error' ? view.last_action : ''
        )
        const target = view.target_lag_seconds
        setText(
            this.lag.value,
            duration(view.lag_seconds ?? NaN) + (target == null ? '' : ` of ${duration(target)}`)
        )
        setAttribute(this.lag.element, 'data-bad', view.lag_met === false)
        setText(this.errors.value, count(view.errors))
        setAttribute(this.errors.element, 'data-bad', view.errors > 0)
    }

    #showTrouble() {
        const {view} = this
        const text = troubleText(view)
        setText(this.trouble, text)
        setHidden(this.trouble, !text)
        const why = waitingTexts[view.waiting] ?? view.waiting
        const late =
            view.lag_met === false
                ? `Its lag is over its target${why ? `: ${why}` : ''}.`
                : view.waiting === 'queued'
                  ? 'Queued behind other refreshes.'
                  : ''
        const next = view.next_attempt && (view.status === 'error' || view.waiting === 'failing')
        if (next) showTime(this.nextTry, view.next_attempt)
        this.#showNote(late, next)
    }

    #showNote(late, next) {
        const shown = `${late}|${Boolean(next)}`
        if (shown === this.noted) return
        this.noted = shown
        this.note.replaceChildren(
            ...[
                late,
                late && next ? ' ' : '',
                next ? 'Next try: ' : '',
                next ? this.nextTry : ''
            ].filter(Boolean)
        )
        setHidden(this.note, !late && !next)
    }

    // While the host works on a refresh that was asked for here.
    setBusy(busy) {
        this.busy = busy
        setAttribute(this.refreshButton, 'aria-disabled', busy ? 'true' : null)
        setText(this.refreshButton, busy ? 'Refreshing…' : 'Refresh')
        setAttribute(
            this.refreshButton,
            'aria-label',
            `${busy ? 'Refreshing…' : 'Refresh'} ${this.view.name}`
        )
    }
}
