// The list of cards: which are shown, in which order.

import {Card} from './card.js'
import {arrange, debounced, el, setAttribute, setHidden, setText} from './dom.js'
import {count, counted} from './format.js'

const statusNames = ['error', 'refused', 'refreshing', 'pending', 'idle']

const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
const descending = of => (a, b) => (of(b) ?? -Infinity) - (of(a) ?? -Infinity) || 0
const rank = view => (statusNames.indexOf(view.status) + 6) % 6

// Each puts first what one looks for; the arrow beside turns it round.
const orders = {
    name: byName,
    status: (a, b) => rank(a) - rank(b),
    lag: descending(view => view.lag_seconds),
    last: descending(view => Date.parse(view.last_refresh ?? '') || null),
    duration: descending(view => view.last_duration_seconds),
    errors: descending(view => view.errors),
    refreshes: descending(view => view.refreshes)
}

function words(text) {
    return text.toLowerCase().split(/\s+/).filter(Boolean)
}

function haystack(view) {
    return [
        view.name,
        view.source,
        ...(view.sources ?? []),
        view.target,
        view.strategy,
        view.owner,
        view.migration,
        view.definition?.comment,
        typeof view.error === 'string' ? view.error : view.error?.message,
        view.problem?.message
    ]
        .filter(Boolean)
        .join('\n')
        .toLowerCase()
}

export class ViewListing {
    // controls: the elements of the toolbar; changed: called when what is shown has changed.
    constructor(controls, actions, changed) {
        Object.assign(this, controls)
        this.actions = actions
        this.changed = changed
        this.cards = new Map()
        this.choice = {text: '', status: '', sort: 'name', reverse: false}
        this.isKnown = false // whether the host has told its views
        this.ordered = []
        this.#listen()
    }

    #listen() {
        const filter = debounced(80, () => this.choose({text: this.search.value}))
        this.search.addEventListener('input', filter)
        this.sort.addEventListener('change', () => this.choose({sort: this.sort.value}))
        this.direction.addEventListener('click', () => this.choose({reverse: !this.choice.reverse}))
        this.clear.addEventListener('click', () => {
            this.choose({text: '', status: ''})
            this.search.focus()
        })
        this.chips = new Map(['', ...statusNames].map(status => [status, this.#chip(status)]))
        arrange(
            this.chipBox,
            [...this.chips.values()].map(chip => chip.element)
        )
    }

    #chip(status) {
        const number = el('span', {class: 'number'})
        const element = el(
            'button',
            {
                type: 'button',
                class: 'chip',
                'data-status': status || null,
                'aria-pressed': 'false',
                onclick: () => this.choose({status: this.choice.status === status ? '' : status})
            },
            status || 'all',
            ' ',
            number
        )
        return {element, number}
    }

    // Takes over a choice of what is shown, or a part of one.
    choose(part) {
        this.choice = {...this.choice, ...part}
        if (!(this.choice.sort in orders)) this.choice.sort = 'name'
        if (this.search.value !== this.choice.text) this.search.value = this.choice.text
        this.sort.value = this.choice.sort
        setAttribute(this.direction, 'aria-pressed', String(this.choice.reverse))
        this.#order()
        this.#show()
    }

    update(views, readOnly) {
        this.isKnown = true
        const before = this.cards
        this.cards = new Map()
        for (const view of views) {
            const card = before.get(view.name) ?? new Card(view, this.actions)
            const told = JSON.stringify(view) + readOnly
            if (card.told !== told) {
                card.told = told
                card.haystack = haystack(view)
                card.update(view, readOnly)
            }
            this.cards.set(view.name, card)
        }
        const sameNames =
            before.size === this.cards.size &&
            [...before.keys()].every(name => this.cards.has(name))
        // Cards that change places by themselves slip from under a hand: not while one is there.
        if (!sameNames || !this.#isInUse()) this.#order()
        this.#show()
    }

    #isInUse() {
        return this.list.matches(':hover, :focus-within')
    }

    #order() {
        const {sort, reverse} = this.choice
        const compare = (a, b) => orders[sort](a.view, b.view) || byName(a.view, b.view)
        this.ordered = [...this.cards.values()].sort(reverse ? (a, b) => compare(b, a) : compare)
        arrange(
            this.list,
            this.ordered.map(card => card.element)
        )
    }

    #show() {
        const wanted = words(this.choice.text)
        const numbers = Object.fromEntries(statusNames.map(name => [name, 0]))
        let shown = 0
        for (const card of this.ordered) {
            const found = wanted.every(word => card.haystack.includes(word))
            if (found) numbers[card.view.status] += 1
            const visible =
                found && (!this.choice.status || card.view.status === this.choice.status)
            setHidden(card.element, !visible)
            shown += visible
        }
        this.#showNumbers(numbers, shown)
        this.changed()
    }

    #showNumbers(numbers, shown) {
        const all = Object.values(numbers).reduce((sum, number) => sum + number, 0)
        for (const [status, chip] of this.chips) {
            setText(chip.number, count(status ? numbers[status] : all))
            setAttribute(chip.element, 'aria-pressed', String(this.choice.status === status))
            setHidden(
                chip.element,
                status !== '' && !numbers[status] && this.choice.status !== status
            )
        }
        const {size} = this.cards
        setText(
            this.total,
            shown === size ? counted(size, 'view') : `${count(shown)} of ${counted(size, 'view')}`
        )
        setHidden(this.empty, shown > 0 || !this.isKnown)
        setText(this.emptyText, size ? 'No view fits this filter.' : 'There are no views yet.')
        setHidden(this.clear, size === 0)
    }

    // The views that pass the filter, in the list's order.
    shownViews() {
        return this.ordered.filter(card => !card.element.hidden).map(card => card.view)
    }

    // The card to go to when `name` has gone: the next one that is shown, else the one before.
    neighbour(name) {
        const shown = this.ordered.filter(card => !card.element.hidden)
        const at = shown.findIndex(card => card.view.name === name)
        return at < 0 ? null : (shown[at + 1] ?? shown[at - 1] ?? null)
    }

    // Shows a view's card with its refreshes open, and goes there.
    reveal(name) {
        const card = this.cards.get(name)
        if (!card) return false
        if (card.element.hidden) this.choose({text: '', status: ''})
        card.panels.open('refreshes')
        card.element.scrollIntoView({block: 'start'})
        card.link.focus({preventScroll: true})
        return true
    }
}
