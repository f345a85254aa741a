"""Texts in thirty scripts, ids, encodings and English, written for this project, that the token estimate is held to."""

import base64
import hashlib
import json
import random
import uuid

SCRIPTS = {
    "french": "L'ascenseur de notre immeuble est arrêté depuis un mois ; la gérante répète qu'une pièce est commandée, mais personne ne vient.",
    "german": "Im Treppenhaus riecht es seit Dienstag nach Gas, und die Hausverwaltung verweist uns ständig an die Störungsannahme der Stadtwerke.",
    "polish": "Na skrzyżowaniu przy szkole zgasła sygnalizacja świetlna, a przejście dla pieszych jest zupełnie nieoświetlone po zmroku.",
    "czech": "Před naším domem už měsíc leží hromada suti, kterou tam nechala stavební firma, a děti přes ni chodí do školky.",
    "hungarian": "A játszótér kerítése kidőlt, a homokozóban üvegszilánkok vannak, és a bejelentésünkre két hete nem érkezett válasz.",
    "icelandic": "Gangstéttin fyrir framan bókasafnið er sprungin og ófær hjólastólum, og niðurfallið stíflast í hvert sinn sem rignir.",
    "vietnamese": "Nước trong căn hộ của tôi có màu vàng từ hôm thứ hai, chủ nhà nói sẽ sửa đường ống nhưng đến nay vẫn chưa thấy ai đến.",
    "finnish": "Taloyhtiömme pihavalaistus on ollut rikki lokakuusta lähtien, ja portaikossa liukastui eilen illalla iäkäs naapurimme.",
    "turkish": "Sokağımızdaki rögar kapağı kırıldığı için araçlar kaldırıma çıkıyor; yayaların güvenliği konusunda endişeliyiz.",
    "lithuanian": "Prie mūsų namo vėl kaupiasi neišvežtos šiukšlės, o konteineriai stovi tiesiai ant šaligatvio jau kelias savaites.",
    "swahili": "Taa za barabarani karibu na soko letu hazijawaka kwa wiki mbili, na wakazi wanaogopa kutembea usiku bila mwangaza wowote.",
    "cyrillic": "В подвале нашего дома прорвало трубу, вода поднимается, а аварийная служба обещает приехать только завтра утром.",
    "ukrainian": "На дитячому майданчику зламано гойдалку, і гострі краї металу вже поранили двох малюків із сусіднього під'їзду.",
    "kazakh": "Біздің аулада қоқыс жәшіктері үш күннен бері шығарылмай тұр, иісі терезені ашуға мүмкіндік бермейді.",
    "greek": "Το φανάρι στη διασταύρωση αναβοσβήνει από το πρωί και τα αυτοκίνητα περνούν χωρίς να σταματούν στη διάβαση.",
    "armenian": "Մեր շենքի տանիքից անձրևի ժամանակ ջուր է կաթում, իսկ աստիճանավանդակի լույսերը երկու շաբաթ է՝ չեն վառվում։",
    "georgian": "ჩვენს ქუჩაზე წყლის მილი გასკდა და ტროტუარი მთლიანად დატბორილია, მანქანები კი ეზოში ვეღარ შედიან.",
    "hebrew": "המדרכה מול בית הספר שבורה כבר חודש, והורים עם עגלות נאלצים לרדת לכביש הסואן בכל בוקר.",
    "arabic": "انقطعت المياه عن الطابق الثالث منذ يومين، ولم يرد مكتب الصيانة على اتصالاتنا المتكررة حتى هذه الساعة.",
    "persian": "چراغ‌های کوچهٔ ما یک هفته است خاموش مانده و گودال بزرگی جلوی ورودی پارکینگ ایجاد شده است.",
    "urdu": "ہماری گلی میں کوڑا کئی دنوں سے نہیں اٹھایا گیا اور بدبو کی وجہ سے بچوں کا باہر کھیلنا مشکل ہو گیا ہے۔",
    "devanagari": "हमारे मोहल्ले की नाली तीन दिन से बंद है और गंदा पानी घरों के सामने जमा हो रहा है, कृपया जल्दी जाँच करवाएँ।",
    "bengali": "আমাদের রাস্তার বাতিগুলো এক সপ্তাহ ধরে জ্বলছে না, আর মোড়ের গর্তে গতকাল একটি রিকশা উল্টে গেছে।",
    "tamil": "எங்கள் தெருவில் குடிநீர் குழாய் உடைந்து இரண்டு நாட்களாக தண்ணீர் வீணாகிறது; யாரும் வந்து பார்க்கவில்லை.",
    "telugu": "మా వీధిలో మురుగు కాలువ పొంగిపొర్లుతోంది, దోమల వల్ల పిల్లలకు జ్వరాలు వస్తున్నాయి, దయచేసి వెంటనే శుభ్రం చేయించండి.",
    "kannada": "ನಮ್ಮ ಬಡಾವಣೆಯಲ್ಲಿ ಮೂರು ದಿನಗಳಿಂದ ಕಸ ಸಂಗ್ರಹಿಸಿಲ್ಲ, ಬೀದಿ ನಾಯಿಗಳು ಚೀಲಗಳನ್ನು ಹರಿದು ಹಾಕುತ್ತಿವೆ.",
    "malayalam": "ഞങ്ങളുടെ കെട്ടിടത്തിലെ ലിഫ്റ്റ് രണ്ടാഴ്ചയായി പ്രവർത്തിക്കുന്നില്ല, മുകളിലത്തെ നിലയിൽ പ്രായമായവർ താമസിക്കുന്നുണ്ട്.",
    "gujarati": "અમારી સોસાયટીની બહાર રસ્તો ખોદીને છોડી દેવામાં આવ્યો છે અને રાત્રે ત્યાં કોઈ ચેતવણીની બત્તી પણ નથી.",
    "gurmukhi": "ਸਾਡੇ ਪਾਰਕ ਦੀ ਕੰਧ ਡਿੱਗ ਗਈ ਹੈ ਅਤੇ ਇੱਟਾਂ ਫੁੱਟਪਾਥ ਉੱਤੇ ਖਿੱਲਰੀਆਂ ਪਈਆਂ ਹਨ, ਕਿਰਪਾ ਕਰਕੇ ਮੁਰੰਮਤ ਕਰਵਾਓ।",
    "odia": "ଆମ ଗଳିର ନଳକୂଅ ଖରାପ ହୋଇଯାଇଛି ଏବଂ ଲୋକମାନେ ଦୂରରୁ ପାଣି ଆଣିବାକୁ ବାଧ୍ୟ ହେଉଛନ୍ତି।",
    "sinhala": "අපේ පාරේ කාණුව අවහිර වී ඇති නිසා වැසි දිනවල නිවෙස් තුළට ජලය ගලා එයි, කරුණාකර පරීක්ෂා කරන්න.",
    "thai": "ไฟถนนหน้าซอยดับมาสองสัปดาห์แล้ว และมีหลุมขนาดใหญ่ตรงทางม้าลาย ทำให้เด็กนักเรียนข้ามถนนอย่างอันตราย",
    "lao": "ທໍ່ນໍ້າແຕກຢູ່ໜ້າບ້ານຂອງພວກເຮົາຕັ້ງແຕ່ມື້ວານນີ້ ແລະ ຍັງບໍ່ມີໃຜມາສ້ອມແປງເທື່ອ",
    "khmer": "ភ្លើងតាមដងផ្លូវនៅមុខសាលារៀនមិនភ្លឺអស់រយៈពេលមួយសប្តាហ៍ហើយ ហើយមានរណ្តៅធំនៅកណ្តាលផ្លូវ។",
    "burmese": "ကျွန်တော်တို့ရပ်ကွက်မှာ အမှိုက်သိမ်းကားမလာတာ ငါးရက်ရှိပြီဖြစ်လို့ အနံ့ဆိုးများထွက်နေပါတယ်။",
    "tibetan": "ང་ཚོའི་སྲང་ལམ་གྱི་གློག་བཞུ་ཚང་མ་བདུན་ཕྲག་གཅིག་ནས་བཟུང་སྟེ་འབར་མི་འདུག",
    "ethiopic": "በሰፈራችን የውሃ ቧንቧ ተሰብሮ ለሦስት ቀናት መንገዱን አጥለቅልቆታል፤ እስካሁን ማንም አልመጣም።",
    "chinese simplified": "我们小区门口的路灯已经坏了两个星期，晚上老人出门非常不方便，请尽快派人来维修。",
    "chinese traditional": "巷口的排水溝被廢棄傢俱堵住，每逢下雨積水就淹進一樓店面，希望環保局能儘速清理。",
    "japanese": "マンションの廊下の照明が先週から点いておらず、ゴミ置き場にはネズミが出るので、至急点検をお願いします。",
    "korean": "아파트 지하 주차장에 물이 새서 바닥이 미끄럽고, 관리사무소에 여러 번 말했지만 아직 조치가 없습니다.",
    "mongolian": "Манай байрны цахилгаан шат гурван өдөр ажиллахгүй байна, өндөр настнууд гэрээсээ гарч чадахгүй байна.",
    "mongolian script": "ᠮᠠᠨ ᠤ ᠭᠤᠳᠤᠮᠵᠢ ᠶᠢᠨ ᠭᠡᠷᠡᠯ ᠠᠰᠠᠬᠤ ᠦᠭᠡᠢ",
    "cherokee": "ᏙᎢᏳᏍᏗ ᎠᎹ ᎦᏅᏅ ᎤᏲᏨᎩ ᎣᏂ ᏔᎵ ᏧᏒᎯᏛ",
    "thaana": "އަޅުގަނޑުމެންގެ މަގުގެ ބޮކިތައް ދިއްލިފައެއް ނުވޭ",
    "syriac": "ܡܝܐ ܠܐ ܪܕܝܢ ܒܒܝܬܢ ܡܢ ܝܘܡܐ ܕܬܪܝܢ",
}
ODDITIES = {
    "emoji": "Leak again 😡💧🚿 please send someone 🙏🏽🙏🏽 👍🏿 🇫🇮🇧🇷 1️⃣2️⃣ ☔️✅❌",
    "joined emoji": "👨‍👩‍👧‍👦 👩🏾‍🚒 🏳️‍🌈 🧑🏻‍🤝‍🧑🏿" * 4,
    "joiners": "a\u200db\u200c" * 60,
    "combining": "".join("Z" + "\u0300\u0316\u0489\u035f" * 6 for _ in range(8)),
    "digits": "0123456789" * 20 + " 1,204,882.50 -17.3 1e-9 ١٢٣٤ ५६७८",
    "spaces": "a" + " " * 300 + "b" + "\t" * 41 + "c  7   9    é",
    "lines": "\n\n\n \n\t\n\r\n\r\n one\n\n  two \r\n\n\n",
    "rules": "=" * 90 + "\n" + "-" * 77 + "\n" + "~*~" * 20,
    "marks": "!@#$%^&*()_+{}|:<>?[];',./\\\"`~ <<>>::==!=->=>&&||/*-+*/",
    "one letter": "a" * 500 + "Z" * 500,
    "capitals": "NOTICE OF VIOLATION: SECOND FLOOR REAR EGRESS OBSTRUCTED, ABATE WITHIN 14 DAYS",
    "path": "/srv/desk/.cache/run-07/A3.json C:\\Records\\2024\\permits_final(2).xlsx",
    "maths": "∑ᵢ xᵢ² ≤ ∫₀¹ ƒ(t)dt ≈ 3½ × 10⁻³ ∀ε>0 ∃δ",
    "boxes": "┌──────┬────┐\n│ ward │ n  │\n└──────┴────┘ ▓▒░ ★☆ ①②③ ™®©",
}
ENGLISH = (
    "The resident at 12 Elm Street says that water has been coming through the bathroom ceiling since Tuesday and the landlord will not answer.",
    "Permits searched the register for the address and found two open building permits, B-2024-1187 and P-55310; neither covers work on the roof.",
    "An inspector visited on 14 March, saw three blocked exits on the second floor, and wrote a notice that gives the owner two weeks to clear them.",
    "No violation is on file for this property in the last five years. The search covered housing, building and health records.",
    "Who owns the lot behind the school, and has anyone been told to remove the abandoned truck that leaks oil onto the sidewalk?",
    'Case 311-2024-0098812 was closed as "no cause found", but the neighbour reported the same pothole again on 2024-11-03 (case 311-2024-0101377).',
    "Find out whether the crew that dug up the corner of Oak Avenue and 5th Street had a permit, then tell me when the hole will be filled.",
    "c2: rats in the yard of 48 Maple Court; check trash collection dates and any earlier complaints before you answer.",
    "Route this to housing first: the tenant has had no heat for six days, there is a baby in the apartment, and it is below freezing outside.",
    "Trash pickup was missed twice. The truck came on Friday instead of Wednesday, so the bags were torn open by animals and spread over the road.",
    "The desk keeps a ledger of what was asked, who answered, and what evidence they gave; it doesn't keep the conversation itself.",
    "I'd like to know why my request was closed. Nobody came, nobody called, and the light outside my window is still broken.",
    "Since the last visit, the owner has filed an appeal; until it is heard, the order stays in force and no fine can be collected.",
    "Please choose one of the four offices, say in one short sentence why, and hand over only the records that the office needs.",
    "A contractor parked two dumpsters in the bike lane without a permit, and cyclists are forced into fast traffic every morning.",
    "Three households share one meter. They dispute the bill of $1,284.60 for October, which is four times what they paid in September.",
    "There is a strong smell of gas in the basement of the building next to the library, and the caretaker's phone is switched off.",
    "What was decided last time, on what evidence, and has anything changed since then that would justify asking the same office again?",
)


def machine_made() -> dict[str, str]:
    """Return seeded ids, digests, encodings, URLs, JSON and code, as they turn up in facts and artifacts."""
    rng = random.Random(311)
    raw = rng.randbytes(300)
    record = {"case_id": 101004312877, "opened_at": "2024-02-29T23:59:59Z", "ward": None, "tags": ["heat", "no-water"], "geo": [42.3601, -71.0589]}
    return {
        "case numbers": " ".join(f"311-{rng.randrange(10**9):09d} BOS{rng.randrange(10**6)} SR-{rng.randrange(10**4)}/24" for _ in range(12)),
        "permit numbers": " ".join(
            f"ALT{rng.randrange(10**6)} B{rng.randrange(10**5)}-{rng.choice('XQKZ')} #{rng.randrange(10**4)}" for _ in range(12)
        ),
        "uuids": " ".join(str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(8)),
        "digests": " ".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(6)),
        "base64": base64.b64encode(raw).decode(),
        "base64url": base64.urlsafe_b64encode(raw[::-1]).decode(),
        "base32": base64.b32encode(raw).decode(),
        "letters": "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=600)),
        "urls": " ".join(
            f"https://data.example.org/v2/cases/{rng.randrange(10**7)}?status=open&page={n}&sig={rng.getrandbits(64):x}#top" for n in range(6)
        ),
        "json": json.dumps(record) + json.dumps(record, indent=2) + json.dumps(record, separators=(",", ":")),
        "code": "async def settle(self, case: str, *, limit: int = 65_536) -> list[Handle]:\n\treturn [h async for h in self._rows(case)][:limit]\n"
        * 2,
        "sql": "SELECT r.case_id, COUNT(*) AS n FROM requests r LEFT JOIN permits p ON p.sam_id = r.sam_id WHERE r.closed_at IS NULL GROUP BY 1;",
    }
