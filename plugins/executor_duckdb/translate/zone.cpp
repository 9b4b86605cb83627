#include "plugins/executor_duckdb/translate/zone.h"

#include <QSet>

#include <algorithm>

namespace ivm::duckdb {

namespace {

constexpr QStringView kUtc = u"UTC";
constexpr QStringView kAnyZone = u"?";
constexpr int kFarthestMinutes = 14 * 60;

constexpr QStringView kUtcNames =
    u"UTC Z UT UCT GMT Zulu Universal Greenwich Etc/UTC Etc/UCT Etc/GMT Etc/Universal";

// Where both engines agree for all times.
constexpr QStringView kAlways =
    u"Africa/Abidjan Africa/Algiers Africa/Bissau Africa/Cairo Africa/Casablanca Africa/Ceuta "
    u"Africa/El_Aaiun Africa/Johannesburg Africa/Juba Africa/Khartoum Africa/Lagos "
    u"Africa/Maputo Africa/Monrovia Africa/Nairobi Africa/Ndjamena Africa/Sao_Tome "
    u"Africa/Tripoli Africa/Tunis Africa/Windhoek America/Adak America/Anchorage "
    u"America/Araguaina America/Argentina/Buenos_Aires America/Argentina/Catamarca "
    u"America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy "
    u"America/Argentina/La_Rioja America/Argentina/Mendoza America/Argentina/Rio_Gallegos "
    u"America/Argentina/Salta America/Argentina/San_Juan America/Argentina/San_Luis "
    u"America/Argentina/Tucuman America/Argentina/Ushuaia America/Asuncion America/Atka "
    u"America/Bahia America/Bahia_Banderas America/Barbados America/Belem America/Belize "
    u"America/Boa_Vista America/Bogota America/Boise America/Buenos_Aires "
    u"America/Cambridge_Bay America/Campo_Grande America/Cancun America/Caracas "
    u"America/Catamarca America/Cayenne America/Chicago America/Chihuahua "
    u"America/Ciudad_Juarez America/Cordoba America/Costa_Rica America/Cuiaba "
    u"America/Danmarkshavn America/Dawson America/Dawson_Creek America/Denver America/Detroit "
    u"America/Edmonton America/Eirunepe America/El_Salvador America/Fort_Nelson "
    u"America/Fort_Wayne America/Fortaleza America/Glace_Bay America/Godthab America/Goose_Bay "
    u"America/Grand_Turk America/Guatemala America/Guayaquil America/Guyana America/Halifax "
    u"America/Havana America/Hermosillo America/Indiana/Indianapolis America/Indiana/Knox "
    u"America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Tell_City "
    u"America/Indiana/Vevay America/Indiana/Vincennes America/Indiana/Winamac "
    u"America/Indianapolis America/Inuvik America/Iqaluit America/Jamaica America/Jujuy "
    u"America/Juneau America/Kentucky/Louisville America/Kentucky/Monticello America/Knox_IN "
    u"America/La_Paz America/Lima America/Los_Angeles America/Louisville America/Maceio "
    u"America/Managua America/Manaus America/Martinique America/Matamoros America/Mazatlan "
    u"America/Mendoza America/Menominee America/Merida America/Metlakatla America/Mexico_City "
    u"America/Miquelon America/Moncton America/Monterrey America/Montevideo America/Montreal "
    u"America/New_York America/Nipigon America/Nome America/Noronha "
    u"America/North_Dakota/Beulah America/North_Dakota/Center America/North_Dakota/New_Salem "
    u"America/Nuuk America/Ojinaga America/Panama America/Pangnirtung America/Paramaribo "
    u"America/Phoenix America/Port-au-Prince America/Porto_Acre America/Porto_Velho "
    u"America/Puerto_Rico America/Punta_Arenas America/Rainy_River America/Rankin_Inlet "
    u"America/Recife America/Regina America/Resolute America/Rio_Branco America/Rosario "
    u"America/Santarem America/Santiago America/Santo_Domingo America/Sao_Paulo "
    u"America/Scoresbysund America/Shiprock America/Sitka America/St_Johns "
    u"America/Swift_Current America/Tegucigalpa America/Thule America/Thunder_Bay "
    u"America/Toronto America/Vancouver America/Whitehorse America/Winnipeg America/Yakutat "
    u"America/Yellowknife Antarctica/Casey Antarctica/Davis Antarctica/Macquarie "
    u"Antarctica/Mawson Antarctica/Palmer Antarctica/Rothera Antarctica/Troll "
    u"Antarctica/Vostok Asia/Almaty Asia/Amman Asia/Anadyr Asia/Aqtau Asia/Aqtobe "
    u"Asia/Ashgabat Asia/Ashkhabad Asia/Atyrau Asia/Baghdad Asia/Baku Asia/Bangkok "
    u"Asia/Barnaul Asia/Beirut Asia/Bishkek Asia/Calcutta Asia/Chita Asia/Choibalsan "
    u"Asia/Chongqing Asia/Chungking Asia/Colombo Asia/Dacca Asia/Damascus Asia/Dhaka Asia/Dili "
    u"Asia/Dubai Asia/Dushanbe Asia/Famagusta Asia/Gaza Asia/Harbin Asia/Hebron "
    u"Asia/Ho_Chi_Minh Asia/Hong_Kong Asia/Hovd Asia/Irkutsk Asia/Istanbul Asia/Jakarta "
    u"Asia/Jayapura Asia/Jerusalem Asia/Kabul Asia/Kamchatka Asia/Karachi Asia/Kashgar "
    u"Asia/Kathmandu Asia/Katmandu Asia/Khandyga Asia/Kolkata Asia/Krasnoyarsk Asia/Kuching "
    u"Asia/Macao Asia/Macau Asia/Magadan Asia/Makassar Asia/Manila Asia/Nicosia "
    u"Asia/Novokuznetsk Asia/Novosibirsk Asia/Omsk Asia/Oral Asia/Pontianak Asia/Pyongyang "
    u"Asia/Qatar Asia/Qostanay Asia/Qyzylorda Asia/Rangoon Asia/Riyadh Asia/Saigon "
    u"Asia/Sakhalin Asia/Samarkand Asia/Seoul Asia/Shanghai Asia/Singapore Asia/Srednekolymsk "
    u"Asia/Taipei Asia/Tashkent Asia/Tbilisi Asia/Tehran Asia/Tel_Aviv Asia/Thimbu "
    u"Asia/Thimphu Asia/Tokyo Asia/Tomsk Asia/Ujung_Pandang Asia/Ulaanbaatar Asia/Ulan_Bator "
    u"Asia/Urumqi Asia/Ust-Nera Asia/Vladivostok Asia/Yakutsk Asia/Yangon Asia/Yekaterinburg "
    u"Asia/Yerevan Atlantic/Azores Atlantic/Bermuda Atlantic/Canary Atlantic/Cape_Verde "
    u"Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira Atlantic/South_Georgia Atlantic/Stanley "
    u"Australia/ACT Australia/Adelaide Australia/Brisbane Australia/Broken_Hill "
    u"Australia/Canberra Australia/Currie Australia/Darwin Australia/Eucla Australia/Hobart "
    u"Australia/LHI Australia/Lindeman Australia/Lord_Howe Australia/Melbourne Australia/NSW "
    u"Australia/North Australia/Perth Australia/Queensland Australia/South Australia/Sydney "
    u"Australia/Tasmania Australia/Victoria Australia/West Australia/Yancowinna Brazil/Acre "
    u"Brazil/DeNoronha Brazil/East Brazil/West CET CST6CDT Canada/Atlantic Canada/Central "
    u"Canada/Eastern Canada/Mountain Canada/Newfoundland Canada/Pacific Canada/Saskatchewan "
    u"Canada/Yukon Chile/Continental Chile/EasterIsland Cuba EET EST5EDT Egypt Eire "
    u"Europe/Andorra Europe/Astrakhan Europe/Athens Europe/Belfast Europe/Belgrade "
    u"Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Bucharest Europe/Budapest "
    u"Europe/Busingen Europe/Dublin Europe/Gibraltar Europe/Helsinki Europe/Istanbul "
    u"Europe/Kaliningrad Europe/Kiev Europe/Kirov Europe/Kyiv Europe/Lisbon Europe/London "
    u"Europe/Madrid Europe/Malta Europe/Mariehamn Europe/Minsk Europe/Moscow Europe/Nicosia "
    u"Europe/Paris Europe/Podgorica Europe/Prague Europe/Riga Europe/Rome Europe/Samara "
    u"Europe/San_Marino Europe/Saratov Europe/Simferopol Europe/Sofia Europe/Tallinn "
    u"Europe/Tirane Europe/Ulyanovsk Europe/Uzhgorod Europe/Vatican Europe/Vienna "
    u"Europe/Vilnius Europe/Volgograd Europe/Warsaw Europe/Zaporozhye Europe/Zurich GB GB-Eire "
    u"Hongkong Indian/Chagos Indian/Maldives Indian/Mauritius Iran Israel Jamaica Japan "
    u"Kwajalein Libya MET MST7MDT Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT "
    u"Pacific/Apia Pacific/Auckland Pacific/Bougainville Pacific/Chatham Pacific/Easter "
    u"Pacific/Efate Pacific/Enderbury Pacific/Fakaofo Pacific/Fiji Pacific/Galapagos "
    u"Pacific/Gambier Pacific/Guadalcanal Pacific/Guam Pacific/Honolulu Pacific/Johnston "
    u"Pacific/Kanton Pacific/Kiritimati Pacific/Kosrae Pacific/Kwajalein Pacific/Marquesas "
    u"Pacific/Nauru Pacific/Niue Pacific/Norfolk Pacific/Noumea Pacific/Pago_Pago "
    u"Pacific/Palau Pacific/Pitcairn Pacific/Port_Moresby Pacific/Rarotonga Pacific/Samoa "
    u"Pacific/Tahiti Pacific/Tarawa Pacific/Tongatapu Poland Portugal ROK Singapore Turkey "
    u"US/Alaska US/Aleutian US/Arizona US/Central US/East-Indiana US/Eastern US/Hawaii "
    u"US/Indiana-Starke US/Michigan US/Mountain US/Pacific US/Samoa W-SU WET";

// Where both engines agree from 1970 on.
constexpr QStringView kSince1970 =
    u"Africa/Accra Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Bamako Africa/Bangui "
    u"Africa/Banjul Africa/Blantyre Africa/Brazzaville Africa/Bujumbura Africa/Conakry "
    u"Africa/Dakar Africa/Dar_es_Salaam Africa/Djibouti Africa/Douala Africa/Freetown "
    u"Africa/Gaborone Africa/Harare Africa/Kampala Africa/Kigali Africa/Kinshasa "
    u"Africa/Libreville Africa/Lome Africa/Luanda Africa/Lubumbashi Africa/Lusaka "
    u"Africa/Malabo Africa/Maseru Africa/Mbabane Africa/Mogadishu Africa/Niamey "
    u"Africa/Nouakchott Africa/Ouagadougou Africa/Porto-Novo Africa/Timbuktu America/Anguilla "
    u"America/Antigua America/Aruba America/Atikokan America/Blanc-Sablon America/Cayman "
    u"America/Coral_Harbour America/Creston America/Curacao America/Dominica America/Grenada "
    u"America/Guadeloupe America/Kralendijk America/Lower_Princes America/Marigot "
    u"America/Montserrat America/Nassau America/Port_of_Spain America/St_Barthelemy "
    u"America/St_Kitts America/St_Lucia America/St_Thomas America/St_Vincent America/Tortola "
    u"America/Virgin Antarctica/DumontDUrville Antarctica/McMurdo Antarctica/South_Pole "
    u"Antarctica/Syowa Arctic/Longyearbyen Asia/Aden Asia/Bahrain Asia/Brunei "
    u"Asia/Kuala_Lumpur Asia/Kuwait Asia/Muscat Asia/Phnom_Penh Asia/Vientiane "
    u"Atlantic/Jan_Mayen Atlantic/Reykjavik Atlantic/St_Helena Europe/Amsterdam "
    u"Europe/Copenhagen Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/Ljubljana "
    u"Europe/Luxembourg Europe/Monaco Europe/Oslo Europe/Sarajevo Europe/Skopje "
    u"Europe/Stockholm Europe/Vaduz Europe/Zagreb Iceland Indian/Antananarivo Indian/Christmas "
    u"Indian/Cocos Indian/Comoro Indian/Kerguelen Indian/Mahe Indian/Mayotte Indian/Reunion "
    u"Pacific/Chuuk Pacific/Funafuti Pacific/Majuro Pacific/Midway Pacific/Pohnpei "
    u"Pacific/Ponape Pacific/Saipan Pacific/Truk Pacific/Wake Pacific/Wallis Pacific/Yap";

// Where they differ since 1970.
constexpr QStringView kToldDifferently =
    u"America/Ensenada America/Santa_Isabel America/Tijuana Mexico/BajaNorte Europe/Chisinau "
    u"Europe/Tiraspol";

QSet<QString> words(QStringView text)
{
    const auto list = text.toString().split(u' ');
    return {list.begin(), list.end()};
}

bool isAlwaysKnown(const QString &id)
{
    static const QSet<QString> ids = words(kAlways);
    return ids.contains(id);
}

bool isKnownSince1970(const QString &id)
{
    static const QSet<QString> ids = words(kSince1970);
    return ids.contains(id);
}

bool isFixed(const QString &zone) { return zone.startsWith(u'+') || zone.startsWith(u'-'); }

// "+05:30" in minutes; nothing for another form.
std::optional<int> fixedMinutes(QStringView text)
{
    const bool formed = text.size() == 6 && (text[0] == u'+' || text[0] == u'-') && text[3] == u':';
    bool hoursRead = false;
    bool minutesRead = false;
    const uint hours = formed ? text.sliced(1, 2).toUInt(&hoursRead) : 0;
    const uint minutes = formed ? text.sliced(4).toUInt(&minutesRead) : 0;
    if (!hoursRead || !minutesRead || minutes > 59)
        return std::nullopt;
    const int all = int(hours * 60 + minutes);
    return text[0] == u'-' ? -all : all;
}

QString quoted(const QString &id) { return u'\'' + id + u'\''; }

}  // namespace

std::optional<QString> zoneId(QStringView written)
{
    const QString id = written.toString();
    if (words(kUtcNames).contains(id))
        return kUtc.toString();
    if (isAlwaysKnown(id) || isKnownSince1970(id))
        return id;
    const auto minutes = fixedMinutes(written);
    return minutes ? zoneId(*minutes) : std::nullopt;
}

std::optional<QString> zoneId(int minutes)
{
    if (minutes == 0)
        return kUtc.toString();
    const int size = std::abs(minutes);
    if (size > kFarthestMinutes)
        return std::nullopt;
    return QStringLiteral("%1%2:%3")
        .arg(QLatin1Char(minutes < 0 ? '-' : '+'))
        .arg(size / 60, 2, 10, QLatin1Char('0'))
        .arg(size % 60, 2, 10, QLatin1Char('0'));
}

std::optional<QString> zoneOf(const Type &type)
{
    if (type.fields.isEmpty())
        return kUtc.toString();
    const QString &id = type.fields[0].name;
    return id == kAnyZone ? std::nullopt : std::optional(id);
}

Type inZone(Type type, const QString &id)
{
    type.fields.clear();
    if (id != kUtc)
        type.fields.append({id, {}});
    return type;
}

Type inAnyZone(Type type)
{
    type.fields = {{kAnyZone.toString(), {}}};
    return type;
}

Type withoutZones(Type type)
{
    if (type.is(TypeKind::TimestampWithTimeZone))
        type.fields.clear();
    for (auto &field : type.fields)
        field.type = withoutZones(field.type);
    return type;
}

bool isUtc(const Type &type) { return zoneOf(type) == kUtc; }

QString wallClock(const QString &instant, const QString &zone)
{
    if (zone == kUtc)
        return QStringLiteral("CAST(%1 AS TIMESTAMP)").arg(instant);
    if (isFixed(zone)) {
        return QStringLiteral("(CAST(%1 AS TIMESTAMP) + to_minutes(%2))")
            .arg(instant, QString::number(fixedMinutes(zone).value_or(0)));
    }
    const auto form = isAlwaysKnown(zone) ? QStringLiteral("timezone(%1, %2)")
                                          : QStringLiteral("ivm_wall_clock(%1, %2)");
    return form.arg(quoted(zone), instant);
}

QString zoneArguments(const QString &zone)
{
    if (isFixed(zone))
        return QStringLiteral("'UTC', NULL, %1").arg(fixedMinutes(zone).value_or(0));
    const bool always = zone == kUtc || isAlwaysKnown(zone);
    return quoted(zone) + (always ? QStringLiteral(", NULL, 0") : QStringLiteral(", 0, 0"));
}

QStringList zoneMacros()
{
    return {
        QStringLiteral(
            "CREATE OR REPLACE TEMP MACRO ivm_wall_clock(zone, instant) AS CASE WHEN "
            "epoch_us(instant) < 0 THEN error('times before 1970 in zone ' || zone || ' are not "
            "in the embedded engine') ELSE timezone(zone, instant) END"),
        QStringLiteral(
            "CREATE OR REPLACE TEMP MACRO ivm_offset(zone, first, minutes, micros) AS CASE WHEN "
            "micros < first THEN error('times before 1970 in zone ' || zone || ' are not in the "
            "embedded engine') ELSE epoch_us(timezone(zone, make_timestamptz(micros))) - micros + "
            "CAST(minutes AS BIGINT) * 60000000 END"),
        // The distance at the clock's time taken for an instant, then the one at the time that
        // this gives. Where they differ west of UTC, the second one has to lead back to itself,
        // or the clock skips the time.
        QStringLiteral(
            "CREATE OR REPLACE TEMP MACRO ivm_instant(zone, first, minutes, micros) AS "
            "list_transform([micros], lambda t: list_transform([ivm_offset(zone, first, minutes, "
            "t)], lambda a: list_transform([ivm_offset(zone, first, minutes, t - a)], lambda b: "
            "CASE WHEN a <> b AND a < 0 AND ivm_offset(zone, first, minutes, t - b) <> b "
            "THEN t - a ELSE t - b END)[1])[1])[1]"),
        QStringLiteral(
            "CREATE OR REPLACE TEMP MACRO ivm_instant_near(zone, first, minutes, micros, original) "
            "AS list_transform([micros], lambda t: list_transform([ivm_offset(zone, first, "
            "minutes, original)], lambda a: CASE WHEN ivm_offset(zone, first, minutes, t - a) = a "
            "THEN t - a ELSE ivm_instant(zone, first, minutes, t) END)[1])[1]"),
    };
}

bool isToldDifferently(QStringView id) { return words(kToldDifferently).contains(id.toString()); }

QStringList knownZones()
{
    return kAlways.toString().split(u' ') + kSince1970.toString().split(u' ');
}

}  // namespace ivm::duckdb
